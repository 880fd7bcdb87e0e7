//! Tables as Markdown or as aligned text, and the heading above them.

use crate::cli::words::counted;
use planes::papers::bench::Machine;

/// The machine, the `source` that was measured, if there is one, and the command.
pub fn head(m: &Machine, source: &str, markdown: bool) -> String {
    let gpu = match (&m.gpu, &m.driver) {
        (Some(gpu), Some(driver)) => format!("{gpu} (driver {driver})"),
        (Some(gpu), None) => gpu.clone(),
        (None, _) => "no GPU".into(),
    };
    let cpu = m.cpu.as_deref().unwrap_or("a CPU that does not tell its name");
    let code = if markdown { "`" } else { "" };
    let source = if source.is_empty() { String::new() } else { format!("; {source}") };
    format!(
        "{gpu}; {cpu}, {}; planes {}{source}\n{code}{}{code}\n",
        counted(m.threads as u64, "thread"),
        m.planes,
        m.command
    )
}

/// A table; the first column is left-aligned, the others right-aligned.
#[derive(Default)]
pub struct Grid {
    title: String,
    header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    pub fn new(title: String, header: Vec<String>) -> Grid {
        Grid { title, header, rows: Vec::new() }
    }

    /// Adds a row; a missing cell becomes a dash.
    pub fn push(&mut self, name: String, cells: impl Iterator<Item = Option<String>>) {
        let cells = cells.map(|cell| cell.unwrap_or_else(|| "-".into()));
        self.rows.push(std::iter::once(name).chain(cells).collect());
    }

    /// The table as Markdown or as aligned text.
    pub fn text(&self, markdown: bool) -> String {
        if markdown { self.markdown() } else { self.plain() }
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells = cells.iter().map(|c| c.trim()).collect::<Vec<_>>();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = format!("**{}**\n\n{}|", self.title, line(&self.header));
        for column in 0..self.header.len() {
            text += if column == 0 { " --- |" } else { " ---: |" };
        }
        text += "\n";
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }

    fn plain(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| {
            let cells = all().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = format!("{}\n", self.title);
        for row in all() {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, &width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text += "\n";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut grid = Grid::new("t".into(), vec!["".into(), "a".into()]);
        grid.push("long".into(), [Some("12".to_owned())].into_iter());
        grid.push("b".into(), [None].into_iter());
        assert_eq!(grid.plain(), "t\n       a\nlong  12\nb      -\n");
        let markdown = "**t**\n\n|  | a |\n| --- | ---: |\n| long | 12 |\n| b | - |\n";
        assert_eq!(grid.markdown(), markdown);
    }
}
