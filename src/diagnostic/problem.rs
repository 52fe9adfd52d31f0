//! What is wrong, where, and the way out.

use super::sources::Span;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file cannot be run.
    Error,
    /// The file can be run, but may not show what its author means.
    Warning,
}

impl Severity {
    /// The word before the message.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A stretch of a source and what there is to say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; may be empty.
    pub text: String,
}

/// A replacement that mends a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

/// One problem of a topology file or of an override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable name of the kind of problem, such as `unknown-key`.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One lower-case fragment.
    pub title: String,
    /// The offending text.
    pub primary: Label,
    /// Other text that explains it.
    pub secondary: Vec<Label>,
    /// Ways out, one a line.
    pub help: Vec<String>,
    /// A replacement that would mend it.
    pub patch: Option<Patch>,
}

impl Problem {
    /// An error at a place.
    pub fn error(id: &'static str, span: Span, title: impl Into<String>) -> Self {
        Self::new(id, Severity::Error, span, title.into())
    }

    /// A warning at a place.
    pub fn warning(id: &'static str, span: Span, title: impl Into<String>) -> Self {
        Self::new(id, Severity::Warning, span, title.into())
    }

    fn new(id: &'static str, severity: Severity, span: Span, title: String) -> Self {
        let primary = Label { span, text: String::new() };
        Self { id, severity, title, primary, secondary: vec![], help: vec![], patch: None }
    }

    /// Says something at the offending text.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Points at other text.
    #[must_use]
    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds the replacement of a stretch of text that mends it.
    #[must_use]
    pub fn patch(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.patch = Some(Patch { span, replacement: replacement.into() });
        self
    }
}
