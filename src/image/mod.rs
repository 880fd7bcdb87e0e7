//! Reads images and finds their edges.
//!
//! A file becomes an [`Image`]: grey values for the search and colours for pictures of the result.
//! [`EdgeMap`] holds its edge pixels, found by one of the [`Method`]s. All arithmetic is on
//! integers with a stated rounding, so the same image gives the same edges on every device.
//!
//! ```
//! use planes::image::{EdgeMap, Image, Method};
//!
//! // A black image with a white column.
//! let rgb = (0..64 * 48).flat_map(|i| if i % 64 == 20 { [255; 3] } else { [0; 3] }).collect();
//! let image = Image::from_rgb(64, 48, rgb)?;
//! let edges = EdgeMap::find(&image, &Method::Auto)?;
//! assert_eq!(edges.method, Method::Drawing { dark: false });
//! assert_eq!(edges.pixels.len(), 48);
//! # Ok::<(), planes::Error>(())
//! ```

mod blur;
mod canny;
mod drawing;
mod edges;
mod gradient;
mod jpeg;
mod limits;
mod otsu;
mod pixels;
mod png;
mod pnm;
mod read;

pub(crate) use blur::{kernel as blur_kernel, reach as blur_reach};
pub use edges::{EdgeMap, Method};
pub(crate) use edges::{Recipe, SIGMAS, limit};
pub use limits::{MAX_PIXELS, MAX_SIDE};
pub use pixels::Image;
pub(crate) use png::write_png;
pub(crate) use read::is_image;
