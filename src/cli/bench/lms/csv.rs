//! The measurements as comma-separated lines.

use super::super::csv::optional;
use planes::papers::bench::lms::{LmsReport, POINTS_OF_A_SET};

/// Names of the columns; each table fills some of them.
const COLUMNS: &str = "table,points,theta_step,rho_step,noise,method,count,seconds,right,angle_median,\
                       angle_mean,slope_percent_mean,slope_percent_median,distance_median,inliers,mean,\
                       deviation";

/// A line of column names, then one line per row of the tables; times in seconds, empty where there is no value.
pub fn lines(report: &LmsReport) -> String {
    let mut text = format!("{COLUMNS}\n");
    let mut add = |cells: &[(&str, &dyn ToString)]| {
        let of = |name| cells.iter().find(|cell| cell.0 == name).map(|cell| cell.1.to_string());
        let line = COLUMNS.split(',').map(|name| of(name).unwrap_or_default());
        text += &(line.collect::<Vec<_>>().join(",") + "\n");
    };
    for row in &report.times {
        let methods = [("sweep", Some(row.sweep)), ("paper", row.paper), ("fast", row.fast)];
        for (method, time) in methods.into_iter().filter_map(|(m, time)| Some((m, time?))) {
            let seconds = time.seconds;
            add(&[
                ("table", &"times"),
                ("points", &row.points),
                ("method", &method),
                ("seconds", &seconds),
            ]);
        }
    }
    for row in &report.many {
        add(&[
            ("table", &"many"),
            ("points", &POINTS_OF_A_SET),
            ("method", &"fast"),
            ("count", &row.sets),
            ("seconds", &row.fast.seconds),
        ]);
    }
    for (table, all) in [("cells", &report.cells), ("noise", &report.noise)] {
        for row in all {
            add(&[
                ("table", &table),
                ("theta_step", &row.theta_step),
                ("rho_step", &row.rho_step),
                ("noise", &row.noise),
                ("method", &row.method),
                ("count", &row.images),
                ("right", &row.right),
                ("angle_median", &row.angle_median),
                ("angle_mean", &row.angle_mean),
                ("slope_percent_mean", &optional(row.slope_percent_mean)),
                ("slope_percent_median", &row.slope_percent_median),
                ("distance_median", &row.distance_median),
                ("inliers", &row.inliers),
            ]);
        }
    }
    for row in &report.photo {
        add(&[
            ("table", &"photo"),
            ("noise", &optional(row.noise)),
            ("method", &row.method),
            ("count", &row.lines),
            ("mean", &row.mean),
            ("deviation", &row.deviation),
        ]);
    }
    text
}
