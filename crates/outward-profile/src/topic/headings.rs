//! The longer lists of words that headings of identifiers and of measurements have.

/// The name of a person, and of nothing else.
#[rustfmt::skip]
pub(super) const PERSON_NAME: &[&str] = &[
    "surname", "forename", "forenames", "firstname", "lastname", "fullname", "givenname", "first name", "last name",
    "given name", "family name", "full name", "maiden name", "middle name", "patient name",
];

/// A number or code that belongs to one person, or to a thing of theirs.
#[rustfmt::skip]
pub(super) const PERSON_NUMBER: &[&str] = &[
    "passport", "passportno", "ssn", "social security", "soc sec", "nhs", "nhsno", "nhsnumber", "chi", "mrn",
    "medical record", "hospital number", "hospital no", "patient id", "patient no", "patient number", "patientid",
    "patientno", "person id", "personid", "national id", "nationalid", "identity card", "id card", "nino",
    "ni number", "ni no", "national insurance", "tax id", "tax number", "tax ref", "tin", "utr", "itin", "aadhaar",
    "aadhar", "bsn", "dni", "nie", "cpf", "sin", "pesel", "personnummer", "medicare", "medicaid", "health card",
    "health plan", "insurance number", "insurance no", "policy number", "policy no", "beneficiary", "member id",
    "member number", "membership number", "customer id", "customer number", "client id", "client number",
    "employee id", "employee number", "staff id", "staff number", "payroll number", "student id", "student number",
    "pupil id", "upn", "uln", "candidate number", "participant id", "respondent id", "subject id", "account", "acct",
    "sort code", "iban", "card", "pan", "licence", "license", "driver", "driving", "certificate number", "plate",
    "numberplate", "registration", "reg no", "regno", "vrm", "vrn", "vin", "vehicle id", "imei", "imsi", "mac",
    "device id", "device serial", "ip", "url", "username", "user name", "user id", "userid", "login", "handle",
    "twitter", "phone", "telephone", "tel", "telno", "mobile", "landline", "fax", "email", "uprn", "fingerprint",
    "biometric",
];

/// What is counted or measured.
#[rustfmt::skip]
pub(super) const MEASURE: &[&str] = &[
    "amount", "total", "sum", "cost", "costs", "price", "value", "balance", "revenue", "turnover", "sales", "spend",
    "spending", "fee", "fees", "bill", "rent", "gbp", "usd", "eur", "euro", "pounds", "kwh", "mwh", "consumption",
    "usage", "use", "gas", "electricity", "energy", "area", "sqm", "m2", "floor", "km", "miles", "mileage",
    "distance", "metres", "length", "width", "depth", "duration", "time", "timestamp", "epoch", "minutes", "seconds",
    "hours", "days", "weeks", "months", "years", "year", "count", "counts", "score", "scores", "rate", "ratio",
    "percent", "pct", "share", "mean", "avg", "median", "quantity", "qty", "volume", "population", "residents",
    "employees", "headcount", "capital", "gain", "loss", "speed", "temperature", "pressure", "dose", "level", "size",
    "steps", "calories", "marks", "points", "rank", "income", "salary", "wage", "wages", "earnings", "pay", "wealth",
    "benefit", "debt", "expend", "expenditure", "savings", "premium", "kg", "bmi", "birthweight", "height", "weight",
    "fnlwgt",
];
