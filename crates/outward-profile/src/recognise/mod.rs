//! Recognisers: each a function on one value. What a whole column is, is judged from the shares of its values.

mod account;
mod address;
mod area_code;
mod coordinates;
mod date;
mod digits;
mod email;
mod free_text;
mod ip_address;
mod name;
mod name_lists;
mod national_insurance;
mod nhs_number;
mod phone;
mod postcode;
mod scan;
mod sex;

pub use account::{is_card_number, is_iban};
pub use address::{Street, street};
pub use area_code::is_area_code;
pub use coordinates::{is_point, is_uk_latitude, is_uk_longitude};
pub use date::{DateFormat, DateReading, date, is_timestamp};
pub use email::is_email;
pub use free_text::is_free_text;
pub use ip_address::is_ip_address;
pub use name::{NameReading, person_name};
pub use national_insurance::is_national_insurance;
pub use nhs_number::is_nhs_number;
pub use phone::{is_mobile_without_zero, is_uk_phone};
pub use postcode::postcode;
pub(crate) use scan::FOUND;
pub use scan::scan_text;
pub use sex::is_sex;
