//! The measurements as comma-separated lines.

use planes::bench::Timing;
use planes::bench::lms::{LmsReport, POINTS_OF_A_SET};

/// Names of the columns.
const COLUMNS: &str = "table,points,theta_step,rho_step,noise,method,count,seconds,right,angle_median,\
                       angle_mean,slope_percent_mean,slope_percent_median,distance_median,inliers,mean,\
                       deviation";

/// A line of names, then one a row of the tables; times in seconds, empty where there is none.
pub fn lines(report: &LmsReport) -> String {
    let none = String::new;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &report.times {
        let mut add = |method: &str, time: Option<Timing>| {
            if let Some(time) = time {
                let mut cells = vec![none(); 17];
                cells[0] = "times".into();
                cells[1] = row.points.to_string();
                cells[5] = method.into();
                cells[7] = time.seconds.to_string();
                rows.push(cells);
            }
        };
        add("sweep", Some(row.sweep));
        add("paper", row.paper);
        add("fast", row.fast);
    }
    for row in &report.many {
        let mut cells = vec![none(); 17];
        cells[0] = "many".into();
        cells[1] = POINTS_OF_A_SET.to_string();
        cells[5] = "fast".into();
        cells[6] = row.sets.to_string();
        cells[7] = row.fast.seconds.to_string();
        rows.push(cells);
    }
    for (table, all) in [("cells", &report.cells), ("noise", &report.noise)] {
        rows.extend(all.iter().map(|row| {
            vec![
                table.into(),
                none(),
                row.theta_step.to_string(),
                row.rho_step.to_string(),
                row.noise.to_string(),
                row.method.to_string(),
                row.images.to_string(),
                none(),
                row.right.to_string(),
                row.angle_median.to_string(),
                row.angle_mean.to_string(),
                row.slope_percent_mean.map_or_else(none, |mean| mean.to_string()),
                row.slope_percent_median.to_string(),
                row.distance_median.to_string(),
                row.inliers.to_string(),
                none(),
                none(),
            ]
        }));
    }
    rows.extend(report.photo.iter().map(|row| {
        let mut cells = vec![none(); 17];
        cells[0] = "photo".into();
        cells[4] = row.noise.map_or_else(none, |noise| noise.to_string());
        cells[5] = row.method.to_string();
        cells[6] = row.lines.to_string();
        cells[15] = row.mean.to_string();
        cells[16] = row.deviation.to_string();
        cells
    }));
    let lines = rows.iter().map(|cells| cells.join(",") + "\n");
    std::iter::once(format!("{COLUMNS}\n")).chain(lines).collect()
}
