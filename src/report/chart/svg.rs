//! A scene as an SVG document.

use plotters::backend::SVGBackend;

use super::context::ChartError;
use super::draw::draw;
use super::scene::Scene;

/// plotters has whole coordinates only: this makes a quarter of a logical pixel one of them.
const SCALE: f64 = 4.0;

/// The document's bytes.
///
/// # Errors
/// When plotters refuses a mark.
pub fn encode(scene: &Scene) -> Result<Vec<u8>, ChartError> {
    let mut drawn = String::new();
    let size = ((scene.size.0 * SCALE).round() as u32, (scene.size.1 * SCALE).round() as u32);
    draw(scene, SCALE, SVGBackend::with_string(&mut drawn, size))?;
    // plotters opens the document with its own coordinates as the size, and knows no title.
    let body = drawn.split_once('\n').map_or("", |(_, rest)| rest);
    // The attribute alone can match: plotters writes quotes inside of text as &quot;.
    let body = body.replace("font-weight=\"bold\"", "font-weight=\"600\"");
    let (width, height) = (scene.size.0.round(), scene.size.1.round());
    let document = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" role=\"img\" \
         stroke-linejoin=\"round\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <title>{}</title>\n<desc>{}</desc>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n{body}",
        size.0,
        size.1,
        escape(&scene.title),
        escape(&scene.description),
    );
    Ok(document.into_bytes())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::scene::{Anchor, TextLook, Weight};

    #[test]
    fn names_are_escaped() {
        let mut scene = Scene::new(100.0, "<a> & \"b\"", "it's <b>");
        scene.size.1 = 50.0;
        let (colour, anchor) = ((0, 0, 0), Anchor::Start);
        let look = TextLook { size: 12.0, weight: Weight::SemiBold, colour, anchor };
        scene.text((1.0, 20.0), "</text><x font-weight=\"bold\"> & 'c'", look);
        let svg = String::from_utf8(encode(&scene).unwrap()).unwrap();
        assert!(svg.contains("<title>&lt;a&gt; &amp; \"b\"</title>"));
        assert!(svg.contains("&lt;/text&gt;&lt;x font-weight=&quot;bold&quot;&gt; &amp; &apos;c"));
        assert!(svg.contains("font-weight=\"600\""));
        assert_eq!(svg.matches('<').count(), 9, "{svg}");
    }
}
