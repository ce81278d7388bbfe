//! The report as one HTML file that needs nothing else: no script, no font, no image, no network.

mod escape;
mod page;
mod table;

pub(crate) use escape::escape;
pub use page::render_html;
