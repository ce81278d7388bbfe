//! The categories of the road collision variables, after the STATS19 form.

pub(super) const SEVERITY: [&str; 3] = ["Fatal", "Serious", "Slight"];
pub(super) const SERIOUS: usize = 1;
pub(super) const SLIGHT: usize = 2;

pub(super) const DAY: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub(super) const ROAD_CLASS: [&str; 4] = ["Motorway", "A road", "B road", "Other"];

pub(super) const ROAD_TYPE: [&str; 5] =
    ["Roundabout", "One way street", "Dual carriageway", "Single carriageway", "Slip road"];

pub(super) const SETTING: [&str; 2] = ["Urban", "Rural"];

pub(super) const JUNCTION: [&str; 5] =
    ["Not at junction", "T or staggered junction", "Crossroads", "Roundabout", "Private drive or entrance"];

pub(super) const LIGHT: [&str; 3] = ["Daylight", "Darkness: lights lit", "Darkness: no lighting"];

pub(super) const WEATHER: [&str; 6] = ["Fine", "Raining", "Snowing", "Fine with high winds", "Fog or mist", "Other"];

pub(super) const SURFACE: [&str; 4] = ["Dry", "Wet or damp", "Snow", "Frost or ice"];

pub(super) const YES_NO: [&str; 2] = ["No", "Yes"];

pub(super) const VEHICLE_TYPE: [&str; 8] = [
    "Car",
    "Pedal cycle",
    "Motorcycle",
    "Van or light goods vehicle",
    "Heavy goods vehicle",
    "Bus or coach",
    "Taxi",
    "Other vehicle",
];
pub(super) const PEDAL_CYCLE: usize = 1;
pub(super) const MOTORCYCLE: usize = 2;
pub(super) const BUS: usize = 5;

pub(super) const MANOEUVRE: [&str; 8] = [
    "Going ahead",
    "Turning right",
    "Turning left",
    "Slowing or stopping",
    "Waiting to go",
    "Moving off",
    "Overtaking or changing lane",
    "Reversing or parked",
];

pub(super) const SEX: [&str; 3] = ["Male", "Female", "Not known"];

pub(super) const BREATH_TEST: [&str; 6] =
    ["Not requested", "Negative", "Positive", "Refused to provide", "Driver not contacted", "Not provided"];

pub(super) const HOME_AREA: [&str; 3] = ["Urban area", "Small town", "Rural"];

pub(super) const CASUALTY_CLASS: [&str; 3] = ["Driver or rider", "Passenger", "Pedestrian"];

/// Road user types: pedestrians, then the occupants of each type of vehicle.
pub(super) const CASUALTY_TYPE: [&str; 9] = [
    "Pedestrian",
    "Car occupant",
    "Pedal cyclist",
    "Motorcycle rider or passenger",
    "Van or light goods vehicle occupant",
    "Heavy goods vehicle occupant",
    "Bus or coach occupant",
    "Taxi occupant",
    "Other vehicle occupant",
];
