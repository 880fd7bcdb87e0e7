//! The subset of Python literals that NumPy headers use.

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    Number(u64),
    Bool(bool),
    /// A list or a tuple.
    Items(Vec<Literal>),
    Dict(Vec<(Literal, Literal)>),
}

/// Deepest nesting that is accepted.
const DEEPEST: usize = 16;

impl Literal {
    /// Parses a text that is one literal, with blanks around it.
    pub(super) fn of(text: &str) -> Option<Literal> {
        let mut rest = text.trim_start();
        let literal = literal(&mut rest, 0)?;
        rest.trim().is_empty().then_some(literal)
    }

    /// The value of a key in a dictionary.
    pub(super) fn get(&self, key: &str) -> Option<&Literal> {
        let Literal::Dict(entries) = self else { return None };
        let is_it = |(name, _): &&(Literal, Literal)| name.text() == Some(key);
        entries.iter().find(is_it).map(|(_, value)| value)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Literal::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn items(&self) -> Option<&[Literal]> {
        if let Literal::Items(items) = self { Some(items) } else { None }
    }

    /// The numbers of a list or tuple.
    pub(super) fn numbers(&self) -> Option<Vec<u64>> {
        let number = |item: &Literal| match item {
            Literal::Number(number) => Some(*number),
            _ => None,
        };
        self.items()?.iter().map(number).collect()
    }
}

/// Parses a literal at the start of `rest`, and removes it and the blanks after it.
fn literal(rest: &mut &str, depth: usize) -> Option<Literal> {
    let first = rest.chars().next().filter(|_| depth < DEEPEST)?;
    match first {
        '\'' | '"' => {
            let (text, after) = rest[1..].split_once(first)?;
            // No known field has a name with escapes.
            *rest = after.trim_start();
            Some(Literal::Text(text.to_owned()))
        }
        '(' | '[' => {
            let end = if first == '(' { ')' } else { ']' };
            let mut items = Vec::new();
            sequence(rest, end, |rest| {
                items.push(literal(rest, depth + 1)?);
                Some(())
            })?;
            Some(Literal::Items(items))
        }
        '{' => {
            let mut entries = Vec::new();
            sequence(rest, '}', |rest| {
                let key = literal(rest, depth + 1)?;
                take(rest, ':')?;
                entries.push((key, literal(rest, depth + 1)?));
                Some(())
            })?;
            Some(Literal::Dict(entries))
        }
        _ => {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            *rest = after.trim_start();
            match word {
                "True" => Some(Literal::Bool(true)),
                "False" => Some(Literal::Bool(false)),
                // Python 2 wrote an L after long integers.
                _ => word.strip_suffix('L').unwrap_or(word).parse().ok().map(Literal::Number),
            }
        }
    }
}

/// Parses items in brackets, separated by commas.
fn sequence(
    rest: &mut &str,
    end: char,
    mut item: impl FnMut(&mut &str) -> Option<()>,
) -> Option<()> {
    *rest = rest[1..].trim_start();
    while !rest.starts_with(end) {
        item(rest)?;
        if !rest.starts_with(end) {
            take(rest, ',')?;
        }
    }
    take(rest, end)
}

fn take(rest: &mut &str, expected: char) -> Option<()> {
    *rest = rest.strip_prefix(expected)?.trim_start();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_numpy_is_read() {
        let text = "{'descr': [('x', '<f4'), ('c', '|u1', (3,))], 'fortran_order': False, 'shape': (7L, 2), }  \n";
        let header = Literal::of(text).unwrap();
        assert_eq!(header.get("shape").unwrap().numbers().unwrap(), [7, 2]);
        assert_eq!(header.get("fortran_order"), Some(&Literal::Bool(false)));
        let fields = header.get("descr").unwrap().items().unwrap();
        assert_eq!(fields[1].items().unwrap()[2].numbers().unwrap(), [3]);
        assert_eq!(fields[0].items().unwrap()[1].text(), Some("<f4"));
    }

    #[test]
    fn what_is_none_is_refused() {
        let deep = "(".repeat(100_000);
        for text in
            ["", "{", "(1", "'a", "(1 2)", "{1}", "x", "1 2", "(,)", "-1", "1e9", &deep, "é"]
        {
            assert_eq!(Literal::of(text), None, "{text:.9}");
        }
    }
}
