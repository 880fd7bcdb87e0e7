//! The papers' procedure: every edge votes once in one of their spaces, and the bins with enough votes are the
//! lines, most votes first.
//!
//! No bin is compared with its neighbours, and none is refined, so a wide or blurred line is found many
//! times, as in the papers. Each line is reported as by [`detect`](crate::lines::detect()): with its score
//! against chance, and the visible pieces of the image that its bin covers.

use super::line_voters::{EdgeImage, PaperSpace, Version, accumulators};
use crate::Result;
use crate::cuda::Cuda;
use crate::image::EdgeMap;
use crate::lines::{
    Detection, Line, Options, Parameters, PassParameters, Polar, Sight, parameters,
};
use crate::lms::Refine;
use crate::space::Space;

/// Number of bins taken if neither their number nor their votes are limited.
const DEFAULT_TOP: usize = 10;

/// The voter, its space, and which bins count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnePass {
    /// The voter.
    pub version: Version,
    /// The space; `None` is the polar space of [`Options`], with the origin in the top left pixel.
    pub space: Option<PaperSpace>,
    /// Fewest votes.
    pub min_votes: Option<u32>,
}

/// A bin and its space.
struct Winner<'a> {
    space: &'a Space,
    index: usize,
    votes: u32,
}

/// The lines of an edge map in one pass, on a GPU if the voter needs one.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for invalid options, and for a voter that does
/// not vote in the space; [`Error::Device`](crate::Error::Device) if the device fails.
pub fn one_pass(
    edges: &EdgeMap,
    options: &Options,
    pass: &OnePass,
    gpu: Option<&Cuda>,
) -> Result<Detection> {
    options.check()?;
    let size = [edges.width, edges.height];
    let image = EdgeImage::new(size, edges.pixels.iter().copied());
    let (image, spaces) = match pass.space {
        Some(space) => space.of(&image)?,
        None => {
            let polar = Polar::top_left(size, options.directions(), options.rho_step)?;
            (image, vec![polar.space])
        }
    };
    let counts = accumulators(&image, &spaces, pass.version, gpu)?;
    let sight = Sight::new(edges, options);
    let found = winners(&spaces, &counts, options.top, pass.min_votes);
    let line = |w: &Winner| sight.line(w.space, image.origin, w.index, w.votes);
    let lines: Vec<Line> = found.iter().map(line).collect();
    let step = pass.space.map_or(180.0 / options.directions() as f64, PaperSpace::step);
    let name = pass.space.map_or("polar".to_owned(), |space| space.to_string());
    Ok(Detection {
        width: edges.width,
        height: edges.height,
        edges: edges.pixels.len() as u64,
        parameters: Parameters {
            theta_step: step,
            rho_step: spaces[0].rho().bin,
            refine: Refine::None,
            stroke: None,
            one_pass: Some(PassParameters {
                space: name,
                voter: pass.version.name().into(),
                min_votes: pass.min_votes,
            }),
            ..parameters(edges, options)
        },
        lines,
    })
}

/// The bins with enough votes, most votes first; the first if several are equal.
fn winners<'a>(
    spaces: &'a [Space],
    counts: &[Vec<u32>],
    top: Option<u64>,
    min_votes: Option<u32>,
) -> Vec<Winner<'a>> {
    let least = min_votes.unwrap_or(1).max(1);
    let limit = match (top, min_votes) {
        (Some(top), _) => usize::try_from(top).unwrap_or(usize::MAX),
        (None, Some(_)) => usize::MAX,
        (None, None) => DEFAULT_TOP,
    };
    let all = spaces.iter().zip(counts).flat_map(|(space, counts)| {
        let bins = counts.iter().enumerate().filter(move |bin| *bin.1 >= least);
        bins.map(move |(index, &votes)| Winner { space, index, votes })
    });
    let mut winners: Vec<Winner> = all.collect();
    winners.sort_by_key(|winner| std::cmp::Reverse(winner.votes));
    winners.truncate(limit);
    winners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Method;

    /// A diagonal and a column.
    fn edges() -> EdgeMap {
        let pixels = (0..80 * 60).map(|i| [i % 80, i / 80]);
        EdgeMap {
            width: 80,
            height: 60,
            pixels: pixels.filter(|&[x, y]| x == 70 || x == y).collect(),
            gradients: Vec::new(),
            method: Method::Drawing { dark: false },
        }
    }

    #[test]
    fn the_lines_are_the_bins_with_most_votes_in_every_space() {
        let options = Options { theta_step: 1.0, ..Options::default() };
        let kumar = Some(PaperSpace::Kumar);
        for space in [None, kumar, Some(PaperSpace::Cartesian(1.0))] {
            for version in [Version::Serial, Version::AllCores] {
                let pass = OnePass { version, space, min_votes: Some(60) };
                let found = one_pass(&edges(), &options, &pass, None).unwrap();
                let line = |theta: f64, rho: f64| {
                    let near = found.lines.iter().filter(|line| {
                        (line.theta - theta).abs() < 0.1 && (line.rho - rho).abs() < 0.71
                    });
                    near.map(|line| line.votes).max()
                };
                assert_eq!(line(0.0, 70.0), Some(60), "{space:?}");
                assert_eq!(line(135.0, 0.0), Some(60), "{space:?}");
                assert!(found.lines.windows(2).all(|pair| pair[0].votes >= pair[1].votes));
                assert!(found.lines.iter().all(|line| line.votes >= 60 && line.z > 5.0));
            }
        }
    }

    #[test]
    fn as_many_as_are_asked_for() {
        let options = |top| Options { theta_step: 1.0, top, ..Options::default() };
        let pass = OnePass { version: Version::AllCores, space: None, min_votes: None };
        let lines = |top| one_pass(&edges(), &options(top), &pass, None).unwrap().lines.len();
        assert_eq!((lines(None), lines(Some(3))), (DEFAULT_TOP, 3));
    }

    #[test]
    fn a_voter_that_cannot_is_refused() {
        let slices = Version::AllCoresSlices;
        let pass = |version, space| OnePass { version, space, min_votes: None };
        let found = |pass| one_pass(&edges(), &Options::default(), &pass, None);
        assert!(found(pass(slices, None)).is_err());
        assert!(found(pass(slices, Some(PaperSpace::Cartesian(1.0)))).is_ok());
        assert!(found(pass(Version::KumarFast, None)).is_err());
        assert!(found(pass(Version::Serial, Some(PaperSpace::Tomagou))).is_err());
    }
}
