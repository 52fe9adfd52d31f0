//! Labels that keep out of each other's way.

/// Centres as near to the `wanted` ones as they can be at least `gap` apart, within `low..=high`,
/// in the order of the wanted ones; none when there is no room.
pub fn push_apart(wanted: &[f64], gap: f64, low: f64, high: f64) -> Option<Vec<f64>> {
    let needed = gap * wanted.len().saturating_sub(1) as f64;
    if needed > high - low {
        return None;
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]).then(a.cmp(b)));
    // With `rank × gap` taken off, "at least a gap apart" is "not falling": the nearest such
    // sequence is found by pooling neighbours that violate it.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, index) in order.iter().enumerate() {
        let mut block = (wanted[*index] - rank as f64 * gap, 1);
        while let Some(&(mean, count)) = blocks.last()
            && mean > block.0
        {
            let total = mean * count as f64 + block.0 * block.1 as f64;
            block = (total / (count + block.1) as f64, count + block.1);
            blocks.pop();
        }
        blocks.push(block);
    }
    let flat = blocks.iter().flat_map(|(mean, count)| std::iter::repeat_n(*mean, *count));
    let mut placed = vec![0.0; wanted.len()];
    for ((rank, index), base) in order.iter().enumerate().zip(flat) {
        placed[*index] = base.clamp(low, high - needed) + rank as f64 * gap;
    }
    Some(placed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_overlap_and_stay_inside() {
        let wanted = [100.0, 100.0, 100.0, 5.0, 98.0];
        let placed = push_apart(&wanted, 16.0, 0.0, 100.0).unwrap();
        let mut sorted = placed.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 16.0 - 1e-9), "{placed:?}");
        assert!(sorted[0] >= 0.0 && sorted[4] <= 100.0);
        assert!(placed[0] < placed[1] && placed[1] < placed[2], "ties keep their order");
    }

    #[test]
    fn labels_with_room_stay_where_they_are() {
        assert_eq!(push_apart(&[30.0, 10.0], 10.0, 0.0, 50.0), Some(vec![30.0, 10.0]));
        assert_eq!(push_apart(&[], 10.0, 0.0, 50.0), Some(vec![]));
        assert_eq!(push_apart(&[1.0, 2.0], 10.0, 0.0, 5.0), None);
    }
}
