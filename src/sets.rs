//! Sets of numbers that are joined in turn: union-find.

/// Sets of consecutive numbers; each is known by its least member.
pub(crate) struct Sets<'a> {
    /// The least number of all.
    first: u32,
    /// For each number one of its set that is no larger; the least one has itself.
    of: &'a mut [u32],
}

impl<'a> Sets<'a> {
    /// The sets of numbers from `first` on, each of which is alone if it has itself.
    pub fn new(first: u32, of: &'a mut [u32]) -> Sets<'a> {
        Sets { first, of }
    }

    /// The number by which the set of `i` is known. Shortens the path to it.
    pub fn root(&mut self, mut i: u32) -> u32 {
        let at = |i: u32| (i - self.first) as usize;
        while self.of[at(i)] != i {
            let above = self.of[at(self.of[at(i)])];
            self.of[at(i)] = above;
            i = above;
        }
        i
    }

    /// Makes the sets of two numbers one.
    pub fn join(&mut self, i: u32, j: u32) {
        let [a, b] = [i, j].map(|i| self.root(i));
        self.of[(a.max(b) - self.first) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_known_by_their_least_number() {
        let mut of: Vec<u32> = (100..110).collect();
        let mut sets = Sets::new(100, &mut of);
        for (i, j) in [(109, 107), (103, 104), (107, 104), (101, 102), (103, 109)] {
            sets.join(i, j);
        }
        let roots: Vec<u32> = (100..110).map(|i| sets.root(i)).collect();
        assert_eq!(roots, [100, 101, 101, 103, 103, 105, 106, 103, 108, 103]);
    }
}
