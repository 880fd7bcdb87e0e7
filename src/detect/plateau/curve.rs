//! The curve of thickness over size: what neighbourhoods of each size show, and how far one size shows the
//! surfaces that another one shows.

/// Thickness that grows by more than this factor from level to level is that of edges, not of noise.
const GROWTH: f64 = 2.5;
/// Waves that are long against neighbourhoods make them thicker by up to this factor from level to level: by four, and by a little
/// more where edges add to it.
const WAVES: f64 = 4.6;
/// Farther on thickness grows by less than this factor, more or less, …
const LEVELLED: f64 = 2.6;
/// … where on every level up to there at least this share of the flat neighbourhoods are certainly flat, more or less: hills are
/// steeper than waves.
const LOW: f64 = 0.5;
/// Waves turn normals by at least this share of the factor by which they make neighbourhoods thicker, more or less: steps turn
/// them less.
const TURNS: f64 = 0.2;
/// More or less, they leave at least this share of the neighbourhoods flat.
const KEPT: f64 = 0.75;
/// There may be edges only where a level has less than this share of the flat neighbourhoods of the level before.
const REMAIN_FLAT: f64 = 0.95;
/// A level counts when it has at least this share of the flat neighbourhoods of the level before.
pub(super) const LASTING: f64 = 0.5;
/// What differs from its limit by less than this share, more or less exceeds it, so that nearly the same cloud is
/// searched at nearly the same scale. The levels of frames in the camera's view are not divided: steps are seen or not.
pub(super) const SOFT: f64 = 0.2;
/// A wider level still tells if at least this many times as many neighbourhoods are flat on it as on a finer one.
pub(super) const CLEARED: f64 = 0.3;
/// A smaller share of flat neighbourhoods says nothing.
pub const SOME: f64 = 0.02;
/// At least about this many different neighbourhoods must show waves: a few may be folds of a roof.
const WAVE_PLACES: f64 = 1000.0;
/// Fewer different neighbourhoods than this may each hold several surfaces.
pub(super) const FEW_PLACES: f64 = 30.0;
/// With fewer flat neighbourhoods than this, more or less where their number differs from it by less than the second share of it,
/// most of them touch edges, which look like correlated noise.
pub(super) const PLACES: f64 = 150.0;
pub(super) const PLACES_SOFT: f64 = 0.5;
/// Thickness of less than this share of that of rounding is not seen beside it.
const UNSEEN: f64 = 0.25;
/// Parameters of the plane of a neighbourhood.
const PARAMETERS: f64 = 3.0;
/// Standard deviations by which the lower quartile lies below the mean, …
const QUARTILE: f64 = 0.674;
/// … and the lowest decile.
const DECILE: f64 = 1.282;

/// What neighbourhoods of one size show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scale {
    /// Share of the cells with a flat neighbourhood.
    pub flat: f64,
    /// Share of the cells with a neighbourhood that is certainly flat.
    pub strict: f64,
    /// Lower quartile of the thickness of flat neighbourhoods, in steps.
    pub thin: f64,
    /// Lowest decile of it.
    pub thinnest: f64,
    /// Median thickness of flat neighbourhoods, relative to their width.
    pub rise: f64,
    /// Median turn of the normals to the next level, relative to what the thickness allows.
    pub turn: f64,
    /// Lowest decile of the number of points of flat neighbourhoods: the thinnest ones often have few.
    pub points: f64,
    /// Number of different flat neighbourhoods, estimated from their share; those of adjacent cells overlap.
    pub places: f64,
    /// Thickness that rounding gives to every neighbourhood, in steps; 0 where it is not looked at.
    pub floor: f64,
}

impl Scale {
    /// The factor by which thickness grows to a wider level, beyond what independent noise makes of more points: with few points
    /// thickness varies more, so that its lower quantiles are lower.
    pub(super) fn growth(&self, wider: &Scale) -> f64 {
        wider.thin / wider.low(QUARTILE) / (self.thin / self.low(QUARTILE))
    }

    /// A quantile of the thickness that independent noise gives to neighbourhoods, so many standard deviations below its mean,
    /// relative to the mean.
    fn low(&self, below: f64) -> f64 {
        1.0 - below / (2.0 * (self.points - PARAMETERS).max(PARAMETERS)).sqrt()
    }

    /// How many times as thick the thinner neighbourhoods of the next level are, without rounding and beyond what independent noise
    /// makes of more points.
    pub(super) fn thickening(&self, next: &Scale) -> f64 {
        let of = |s: &Scale, thickness: f64, below: f64| {
            let own = (thickness * thickness - s.floor * s.floor).max(0.0).sqrt();
            own.max(UNSEEN * s.floor) / s.low(below)
        };
        let thin = of(next, next.thin, QUARTILE) / of(self, self.thin, QUARTILE);
        thin.min(of(next, next.thinnest, DECILE) / of(self, self.thinnest, DECILE))
    }
}

/// What lies between the values of two levels, on a logarithmic scale.
pub fn between(level: f64, of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let fine = of(level as usize)?;
    let coarse = if level.fract() > 0.0 { of(level as usize + 1) } else { None };
    Some(coarse.map_or(fine, |coarse| fine * (coarse / fine).powf(level.fract())))
}

/// How surely, from 0 to 1, a value exceeds a limit; it is between where it differs by less than a share `soft`.
pub(super) fn exceeds(value: f64, limit: f64, soft: f64) -> f64 {
    let by = value - limit;
    if by.abs() < soft * limit { 0.5 + 0.5 * by / (soft * limit) } else { f64::from(by > 0.0) }
}

/// Whether thickness grows as noise makes it grow.
pub(super) fn grows(here: &Scale, next: &Scale) -> bool {
    next.thin <= GROWTH * here.thin
}

/// How surely, from 0 to 1, the coarser of two levels shows the surfaces that the finer one shows.
pub(super) fn goes_on(
    curve: &[Scale],
    [level, next_level]: [usize; 2],
    far: bool,
    soft: f64,
) -> f64 {
    let Some(next) = curve.get(next_level) else { return 0.0 };
    let here = &curve[level];
    let lasts = exceeds(next.flat, LASTING * here.flat, soft);
    // Edges take flat neighbourhoods away.
    let soft = if next.flat < REMAIN_FLAT * here.flat { soft } else { 0.0 };
    let waves = if far { are_waves(curve, level, next_level) } else { 0.0 };
    let most = GROWTH + waves * (WAVES - GROWTH);
    let is_edges = exceeds(here.growth(next), most, soft);
    if next.flat > SOME { lasts * (1.0 - is_edges) } else { 0.0 }
}

/// How surely, from 0 to 1, thickness grows between two levels because waves are long against the neighbourhoods: many of these
/// are flat, not many fewer than before, their normals turn, and farther on thickness grows less. Beyond edges it goes on to grow.
fn are_waves(curve: &[Scale], level: usize, next: usize) -> f64 {
    let (here, wider) = (&curve[level], &curve[next]);
    let lasts = exceeds(wider.flat, KEPT * here.flat, SOFT);
    let many = exceeds(wider.places, WAVE_PLACES, PLACES_SOFT);
    let turns = exceeds(here.turn, TURNS * here.growth(wider), SOFT);
    lasts * many * turns * levels_out(curve, next)
}

/// How surely, from 0 to 1, thickness grows less somewhere above a level, and up to there neither more than waves make it grow nor to
/// that of hills.
fn levels_out(curve: &[Scale], from: usize) -> f64 {
    let tells = |pair: &&[Scale]| pair[1].flat > CLEARED * curve[from].flat;
    let shown = curve[from..].windows(2).take_while(tells);
    let growths = shown.map(|pair| (pair[0].growth(&pair[1]), &pair[1]));
    let waves = growths.take_while(|(growth, _)| *growth <= WAVES);
    let levelled = waves.scan(1.0, |low, (growth, wider)| {
        *low = exceeds(wider.strict, LOW * wider.flat, SOFT).min(*low);
        Some(*low * (1.0 - exceeds(growth, LEVELLED, SOFT)))
    });
    levelled.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Scale {
        /// What neighbourhoods show of which this share is flat, all of them as thick.
        pub fn of(flat: f64, thickness: f64, turn: f64) -> Self {
            let (thin, thinnest) = (thickness, thickness);
            let places = 1000.0 * flat;
            Self {
                flat,
                strict: flat,
                thin,
                thinnest,
                rise: 0.0,
                turn,
                points: 0.0,
                places,
                floor: 0.0,
            }
        }
    }

    #[test]
    fn what_rounding_hides_is_no_thickening() {
        let scale =
            |thickness| Scale { floor: 1.0, points: 100.0, ..Scale::of(0.8, thickness, 0.7) };
        let by = |next| scale(1.0).thickening(&scale(next));
        assert_eq!([by(1.0), by(1.001)], [1.0; 2]);
        assert!(by(1.5) > 2.0);
    }
}
