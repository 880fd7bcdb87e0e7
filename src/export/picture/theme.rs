//! Dark and light themes.

/// Colours of everything except points.
pub struct Theme {
    pub sheet: [u8; 3],
    pub panel: [u8; 3],
    pub frame: [u8; 3],
    pub text: [u8; 3],
}

pub const DARK: Theme =
    Theme { sheet: [13, 15, 20], panel: [19, 22, 29], frame: [44, 50, 62], text: [150, 158, 172] };

pub const LIGHT: Theme = Theme {
    sheet: [240, 241, 244],
    panel: [255, 255, 255],
    frame: [205, 209, 217],
    text: [92, 98, 110],
};
