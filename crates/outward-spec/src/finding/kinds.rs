//! Every kind of finding, in the order of their codes.

use super::{FindingKind, Severity};

/// All kinds, in the order of their codes. A new kind goes to the end.
pub const ALL: [&FindingKind; 29] = [
    &SAMPLE_UNIQUES,
    &SMALLEST_CLASS,
    &RECORDS_BELOW_K,
    &TABLE_UNIQUES,
    &WEAK_K,
    &DIRECT_IDENTIFIER,
    &FREE_TEXT,
    &NEAR_UNIQUE_KEY,
    &POPULATION_UNIQUES,
    &HOMOGENEOUS_CLASS,
    &DISTANT_DISTRIBUTION,
    &DRIVING_VARIABLE,
    &BIRTH_TO_THE_DAY,
    &FINE_GEOGRAPHY,
    &MANY_MISSING,
    &HIERARCHY_GAPS,
    &FORBIDDEN_ROLE,
    &POPULATION_MISMATCH,
    &SMALL_PLACES,
    &ESTIMATED_UNIQUES,
    &MODEL_NOT_MET,
    &UNSAFE_CELL,
    &UNSAFE_TOTAL,
    &DOMINATED_BY_ZEROS,
    &GROUP_DISCLOSURE,
    &DIFFERENCING,
    &DOMINATED_SUM,
    &HIDDEN_CELL_KNOWN,
    &TABLE_NOT_PROTECTED,
];

/// Records alone on the full key.
pub const SAMPLE_UNIQUES: FindingKind = FindingKind {
    code: "OUT001",
    name: "sample-uniques",
    title: "Records are alone on the keys",
    severity: Severity::High,
    meaning: "No other record of the file has the same values on all key variables. Such a record is called a sample \
        unique. Someone who knows those values of a person can pick out the one record that fits.",
    why: "An intruder looks first for records that are alone, because such a record cannot be confused with another. \
        If the file covers everyone, or the intruder knows that the person is in it, they have found the person. \
        Then everything else in the record is known to them too.",
    what_to_do: "Recode the keys that split the file most: the report shows which variables drive the risk. Drop a \
        key that users can do without. Remove or swap the few records that remain alone. If the file is a small \
        sample, see OUT009 for how many are alone in the population as well.",
};

/// The smallest class is below k.
pub const SMALLEST_CLASS: FindingKind = FindingKind {
    code: "OUT002",
    name: "smallest-class",
    title: "The smallest class is below k",
    severity: Severity::High,
    meaning: "Records with the same values on all keys form a class. The policy asks that every class has at least k \
        records, and the smallest one has fewer. The file is therefore not k-anonymous.",
    why: "The chance of picking the right record of a class is one over the size of the class. So the smallest class \
        says how good an intruder's best guess can be. A release is judged by that guess.",
    what_to_do: "See OUT003 for how many records are concerned before you decide. Few records can be suppressed or \
        swapped at little cost. Many call for a coarser key.",
};

/// Records in classes below k.
pub const RECORDS_BELOW_K: FindingKind = FindingKind {
    code: "OUT003",
    name: "records-below-k",
    title: "Records are in classes below k",
    severity: Severity::High,
    meaning: "These records share their values on the keys with fewer than k - 1 others. Records that are alone are \
        counted here as well as in OUT001.",
    why: "The number says how far this file is from one that meets the policy. It also says how much would be lost \
        if the records were simply left out. Records left out are rarely a random lot: they are minorities, the very \
        old, small places.",
    what_to_do: "If they are a small share, suppress or swap them and say so in the notes to users. If they are not, \
        recode first and suppress what is left. Try the key with the most categories first.",
};

/// A table of two, three or four keys has uniques.
pub const TABLE_UNIQUES: FindingKind = FindingKind {
    code: "OUT004",
    name: "table-uniques",
    title: "A table of a few keys has records alone in their cell",
    severity: Severity::Medium,
    meaning: "The file was counted by only two, three or four of the keys, and some cells have a single record. Very \
        little knowledge is enough to single these people out.",
    why: "Hardly anyone knows eight things about a person, but many know three. The fewer variables single a person \
        out, the more people can find them. Records alone in a small table also tend to be alone in the \
        population.",
    what_to_do: "Look at the categories that make the cells small, and join them with their neighbours. Start with \
        the tables of two variables, since mending those often mends the larger ones. A variable that appears in \
        many of these tables is the one to recode.",
};

/// A weak k of a scenario or policy is broken.
pub const WEAK_K: FindingKind = FindingKind {
    code: "OUT005",
    name: "weak-k",
    title: "A scenario's k is not met",
    severity: Severity::High,
    meaning: "A scenario or the policy asks for a k on some of the keys, or among some of the records. At least one \
        combination of these keys is shared by fewer records than that. k-anonymity on some keys or records only is \
        called weak k-anonymity.",
    why: "A higher k is asked where an attack is more likely: on what neighbours can see, or on people others look \
        for. A file can meet its k as a whole and still fail there.",
    what_to_do: "Recode the keys that the scenario names before any others. If only the chosen records fall short, \
        suppress or swap those. Lower the k only if the scenario itself was too harsh, and write down why.",
};

/// A direct identifier is present.
pub const DIRECT_IDENTIFIER: FindingKind = FindingKind {
    code: "OUT006",
    name: "direct-identifier",
    title: "A direct identifier is in the data",
    severity: Severity::High,
    meaning: "The variable names a person by itself: a name, an address, an account, a telephone or a health service \
        number. Nothing else has to be known to find the person.",
    why: "No recoding of other variables helps while this one is there. Numbers that look meaningless count too, as \
        someone holds the list that gives them a meaning.",
    what_to_do: "Drop the variable with a step `do = \"drop\"`. If records must be linked later, keep a pseudonym that \
        only the custodian can turn back. If it is not an identifier after all, give it another role in the spec.",
};

/// Free text is present.
pub const FREE_TEXT: FindingKind = FindingKind {
    code: "OUT007",
    name: "free-text",
    title: "Free text is in the data",
    severity: Severity::High,
    meaning: "The variable holds words that people typed. Such fields contain names, telephone numbers and stories, \
        even if the question did not ask for them.",
    why: "What is in free text cannot be counted or recoded, so no measure in this report covers it. One sentence about \
        a rare event is enough to find someone.",
    what_to_do: "Drop the variable. If users need it, have people code it into categories and release those. A \
        search for names finds most of them, which is not enough for open data.",
};

/// A near-unique column is used as a key.
pub const NEAR_UNIQUE_KEY: FindingKind = FindingKind {
    code: "OUT008",
    name: "near-unique-key",
    title: "A key has a different value in nearly every record",
    severity: Severity::High,
    meaning: "Almost every record has a value of its own on this variable. As a key it makes nearly every record unique \
        without any help from the others.",
    why: "It is either an identifier in disguise or a measurement too exact to be a key. In both cases it hides what the \
        other keys do, because everything looks unique with it.",
    what_to_do: "If it distinguishes people, give it the role `identifier` and drop it. If it is an amount or a time, recode \
        it into bands. If no intruder could know it that exactly, make it `plain` or `sensitive`.",
};

/// Records are unique in the population too.
pub const POPULATION_UNIQUES: FindingKind = FindingKind {
    code: "OUT009",
    name: "population-uniques",
    title: "Records are alone in the population",
    severity: Severity::High,
    meaning: "These records are alone on the keys in the file, and so is the person in the population. Both are counted, the \
        population in the file that the spec names.",
    why: "In a sample a record may be alone by luck, with many like it outside. These are not: someone who finds a person \
        with these values has found the right one, and can be sure of it.",
    what_to_do: "Recode until few are left, then swap or remove those. Do not rely on sampling to protect \
        them.",
};

/// Everyone in a class shares the sensitive value.
pub const HOMOGENEOUS_CLASS: FindingKind = FindingKind {
    code: "OUT010",
    name: "homogeneous-class",
    title: "Everyone in a class shares the sensitive value",
    severity: Severity::High,
    meaning: "The records of a class have too few different values of a sensitive variable: fewer than the policy \
        asks for, or only one. This breaks distinct ℓ-diversity.",
    why: "An intruder need not know which record of the class is the person's. If all of them have the same value, \
        the intruder learns it anyway. A large class does not help against this.",
    what_to_do: "Recode the keys so that classes with different values join. Coarser categories of the sensitive variable \
        do not help, as they make values more similar. Where a value is common and harmless, such as `no illness`, ask \
        whether learning it does any harm.",
};

/// A class is distributed far from the whole.
pub const DISTANT_DISTRIBUTION: FindingKind = FindingKind {
    code: "OUT011",
    name: "distant-distribution",
    title: "A class differs much from the whole on a sensitive variable",
    severity: Severity::Medium,
    meaning: "Among records with the same values on the keys, a sensitive variable is distributed quite differently \
        from the file as a whole. The distance is larger than the t of the policy.",
    why: "Someone who knows a person's keys then believes something else about them than about others, even if \
        nothing is certain. That can do harm if an illness or an offence becomes likely. It can also be a true \
        difference between groups, so a person has to judge it.",
    what_to_do: "Look at the classes, and at what an intruder would learn. If it is something about persons, recode \
        the keys so that these classes join others. If it is a well-known fact about groups, leave it and say why.",
};

/// One variable drives most of the risk.
pub const DRIVING_VARIABLE: FindingKind = FindingKind {
    code: "OUT012",
    name: "driving-variable",
    title: "One variable drives most of the risk",
    severity: Severity::Info,
    meaning: "Without this variable, most of the records that are alone on the keys would no longer be alone. No other \
        variable makes as much of a difference.",
    why: "This is where a change pays most. Recoding other variables first loses detail and gains little.",
    what_to_do: "Recode this variable one level and assess again. Ask users how much of its detail they need. If they \
        need all of it, something else has to go.",
};

/// A date of birth to the day is present.
pub const BIRTH_TO_THE_DAY: FindingKind = FindingKind {
    code: "OUT013",
    name: "birth-to-the-day",
    title: "Dates of birth are exact to the day",
    severity: Severity::High,
    meaning: "The data have the day on which people were born. Together with sex and a small area, it singles out \
        nearly everyone.",
    why: "Many people know a person's birthday, and it is in registers, on cards and on the web. It never \
        changes, so one match today holds for life.",
    what_to_do: "Recode to month and year, to the year or to age in bands, with a `date` hierarchy. If ages matter to the \
        day, release the difference between two dates and neither date.",
};

/// Fine geography is present.
pub const FINE_GEOGRAPHY: FindingKind = FindingKind {
    code: "OUT014",
    name: "fine-geography",
    title: "Places are given very finely",
    severity: Severity::High,
    meaning: "The data have full postcodes, grid references or areas with very few people. A full British postcode is \
        about fifteen addresses.",
    why: "Place narrows the search more than anything else, and every other variable is compared only within it. Those \
        most able to find someone live nearby.",
    what_to_do: "Publish outward codes with enough residents: `outward places pool` makes the mapping and a `place` step applies \
        it. Or keep the district or the region only. If users need distances or deprivation, derive those and drop the place.",
};

/// A large share of a variable is missing.
pub const MANY_MISSING: FindingKind = FindingKind {
    code: "OUT015",
    name: "many-missing",
    title: "A large share of a variable is missing",
    severity: Severity::Low,
    meaning: "Many records have no value on this variable. The measures depend on how a missing value is compared: \
        as a value of its own, or as one that matches everything.",
    why: "With `category` a record can be alone because a value is missing, which an intruder cannot know. With \
        `wildcard` a missing value matches other records, and the risk can look lower than it is.",
    what_to_do: "Find out why the values are missing: not asked, not answered or not applicable are different things. Say \
        in the spec how missing is compared, for this variable if need be. Check that codes such as -9 or NA are listed \
        under `missing` of the data.",
};

/// A hierarchy misses values.
pub const HIERARCHY_GAPS: FindingKind = FindingKind {
    code: "OUT016",
    name: "hierarchy-gaps",
    title: "A hierarchy misses values of its variable",
    severity: Severity::Medium,
    meaning: "Some values of the data are not in the hierarchy of the variable. So it does not say what they become \
        at a coarser level.",
    why: "A value that cannot be recoded would stay unchanged and be conspicuous among coarse ones. \
        Forgotten values are mostly rare ones, or mistakes in the data.",
    what_to_do: "Add the values to the hierarchy. If they are misspelt, mend the data; if they mean missing, list them \
        under `missing` of the data. Bands and date parts miss values that are not numbers or dates.",
};

/// The tier does not allow a role that is present.
pub const FORBIDDEN_ROLE: FindingKind = FindingKind {
    code: "OUT017",
    name: "forbidden-role",
    title: "The policy does not allow a variable of this role",
    severity: Severity::High,
    meaning: "The policy, at the tier chosen, lists roles whose variables may not be in a release. A variable with such a \
        role would be in it.",
    why: "Some variables are ruled out even if the counts show no risk. The harm is certain, or people were promised that \
        the variable stays out. The list belongs to the policy and not to the file.",
    what_to_do: "Drop the variable, or recode it into something that no longer has this role. If another tier allows \
        it, consider giving access that way. Change the role in the spec only if it was wrong.",
};

/// The sample does not fit the population.
pub const POPULATION_MISMATCH: FindingKind = FindingKind {
    code: "OUT018",
    name: "population-mismatch",
    title: "The sample does not fit the population",
    severity: Severity::Medium,
    meaning: "Some records have a combination of the keys that the population file lacks, or has less often than the \
        sample. A sample drawn from this population could not have that.",
    why: "Figures on the population come from comparing the two files: how many people are alone in it, how often a \
        journalist is right. If the files do not fit, these figures are too low or mean nothing.",
    what_to_do: "Check that both files code the keys in the same way: the same categories, the same spelling, the same date. \
        Check that the population is of the same people and the same time. This comparison takes a missing value as \
        a value of its own.",
};

/// A place may have fewer residents than the policy asks for.
pub const SMALL_PLACES: FindingKind = FindingKind {
    code: "OUT019",
    name: "small-places",
    title: "A place may have fewer residents than the policy asks for",
    severity: Severity::High,
    meaning: "The policy asks for a minimum number of residents in every place of a release. No step of the spec \
        ensures this for the variable. Either nothing is done to it, or its mapping was made with a lower \
        threshold.",
    why: "The fewer people live in a place, the fewer share a person's age, sex and illness there. A threshold on \
        residents limits the risk from everything else in the file, even from variables that nobody thought of.",
    what_to_do: "Make a mapping with `outward places pool` and the policy's threshold, and apply it with a step `do \
        = \"place\"`. Or drop the variable. A grid does not help: a square in the hills may have no residents.",
};

/// People are estimated to be alone in the population.
pub const ESTIMATED_UNIQUES: FindingKind = FindingKind {
    code: "OUT020",
    name: "estimated-uniques",
    title: "People are estimated to be alone in the population",
    severity: Severity::Medium,
    meaning: "The file is a sample. A model, fitted to the class sizes of the sample, estimates how many people are alone in the population. Nobody else in it has their values on the keys.",
    why: "A record that is alone in the sample may have many doubles outside it, which protect it. A record that is \
        alone in the population has none. Someone who matches it has found the person, and can be sure of it.",
    what_to_do: "Recode the keys that drive the risk until the estimate is small. Look at the other estimators and \
        their reasons; if the estimates are far apart, plan for the highest. `--suda` names the records most likely \
        to be alone. With a population file the answer is exact.",
};

/// A privacy model of the policy is not met.
pub const MODEL_NOT_MET: FindingKind = FindingKind {
    code: "OUT021",
    name: "model-not-met",
    title: "A privacy model of the policy is not met",
    severity: Severity::High,
    meaning: "Besides k, ℓ and t, a policy can ask for other privacy models. One limits the chance of a correct \
        match; another asks for enough people like each record in the population. The records as they are do not \
        meet one of the models of this policy.",
    why: "Each model is about an intruder of its own. One knows any three things about a person, another has a list \
        of the population, a third is content to be right occasionally.",
    what_to_do: "`outward plan` searches for the recoding that meets all models of the policy and loses least. Or \
        add steps to the spec: `outward protect` carries them out and judges the result.",
};

/// A small count inside a table.
pub const UNSAFE_CELL: FindingKind = FindingKind {
    code: "OUT022",
    name: "unsafe-cell",
    title: "A cell of a table is unsafe",
    severity: Severity::High,
    meaning: "The count is above zero, and so low that the policy calls it unsafe in a table of this risk category. \
        The category follows from the geography of the table, the number of its factual variables and the rating of \
        the row.",
    why: "A person who is alone in a cell can see that they are. One of two can see who the other is. An intruder \
        who knows some of a person's values learns the others from the cell. Small counts also invite people to \
        try.",
    what_to_do: "Redesign the table first: `outward table` shows which variables to make coarser, and what that costs. If the \
        detail is needed, round the table or suppress its unsafe cells with `[protection]`.",
};

/// A small total of a table.
pub const UNSAFE_TOTAL: FindingKind = FindingKind {
    code: "OUT023",
    name: "unsafe-total",
    title: "A total of a table is unsafe",
    severity: Severity::High,
    meaning: "A total or a subtotal is above zero, and so low that the policy calls it unsafe. The whole row or column has very few people.",
    why: "If a category is that rare, it is enough to know that a person is in it: the table shows everything else. \
        The rule holds even in tables of low risk, where small counts inside the table are allowed.",
    what_to_do: "Join the category with its neighbours, or show the level above it. Leave the category out if \
        readers do not need it. Otherwise round or suppress.",
};

/// A row or a column of which nearly all cells are zero.
pub const DOMINATED_BY_ZEROS: FindingKind = FindingKind {
    code: "OUT024",
    name: "dominated-by-zeros",
    title: "A row or a column is dominated by zeros",
    severity: Severity::Low,
    meaning: "Many cells of a row or a column are zero, at least the share that the policy names. All people in it \
        are in a few categories.",
    why: "A zero says what somebody is not, and many zeros say what they are. If all people of a row are in one \
        cell, that is group disclosure (OUT025). A person should look at a row that comes near it before the table is published.",
    what_to_do: "Look at the row and ask what a reader would learn of someone in it. Show fewer categories of the \
        variable along the row. Nothing is hidden for this finding alone.",
};

/// All people of a total are in one category.
pub const GROUP_DISCLOSURE: FindingKind = FindingKind {
    code: "OUT025",
    name: "group-disclosure",
    title: "A group gives its members away",
    severity: Severity::High,
    meaning: "Everyone in a total is in one category of a variable, or everyone but a few. The policy says how few. \
        The field calls this group disclosure.",
    why: "Someone who knows that a person is in the group knows their category without finding them, however large \
        the group. If all casualties of a kind were killed by the same cause, the cause is known for each of them. \
        The few who are not in the category know it of all others.",
    what_to_do: "Join categories so that the group is spread over several, or join the group with another. Show the \
        row at a higher level. Suppression hides the full cell, and other cells so that the rest of the total cannot \
        be worked out.",
};

/// A small count follows from two tables.
pub const DIFFERENCING: FindingKind = FindingKind {
    code: "OUT026",
    name: "differencing",
    title: "Two tables give a small count by difference",
    severity: Severity::High,
    meaning: "Two tables count nearly the same people, such as ages 16-24 and 16-25. Subtracting one from the other \
        gives a count that was not published, and the policy calls this count unsafe.",
    why: "Each table may be safe alone. A subtraction needs no skill, and a published table cannot be withdrawn.",
    what_to_do: "Use the same categories in all tables of a family. If a user asks for other bands, build them from \
        those that were published. Otherwise protect the later table together with the earlier one.",
};

/// A sum that gives a contribution away.
pub const DOMINATED_SUM: FindingKind = FindingKind {
    code: "OUT027",
    name: "dominated-sum",
    title: "A sum gives a contribution away",
    severity: Severity::High,
    meaning: "The sum or the mean in a cell breaks a rule of the policy. It has too few contributors, or a few of \
        them make up most of it. Or one contributor, by subtracting their own amount, could estimate the largest \
        amount of the others too closely.",
    why: "A contributor knows their own amount. If most of the rest comes from one other, they know that amount \
        nearly to the digit, although no count is small.",
    what_to_do: "Join the cell with others by showing a coarser level. Or suppress it: enough other cells are then \
        hidden with it to keep an attacker at the distance the rule asks for.",
};

/// A hidden cell can be worked out.
pub const HIDDEN_CELL_KNOWN: FindingKind = FindingKind {
    code: "OUT028",
    name: "hidden-cell-known",
    title: "A hidden cell can be worked out",
    severity: Severity::High,
    meaning: "From everything that would be published, an attacker can work out a hidden cell exactly, or more \
        closely than its rule allows. The audit tried this with the totals of all tables together.",
    why: "A hidden cell that can be worked out is as good as published. Totals, other tables of the family and the \
        knowledge that counts are whole numbers all help.",
    what_to_do: "Let Outward choose which cells to hide: it hides as many as are needed. If the spec says which \
        cells stay hidden or must be shown, take some of them out. A table with this finding is not written.",
};

/// A table has unsafe cells and no protection.
pub const TABLE_NOT_PROTECTED: FindingKind = FindingKind {
    code: "OUT029",
    name: "table-not-protected",
    title: "A table with unsafe cells has no protection",
    severity: Severity::High,
    meaning: "The table has cells that the policy calls unsafe, and the spec asks for no protection. Or it asks for \
        one that is too weak, such as a rounding base below the largest unsafe count.",
    why: "The unsafe cells would be published. Therefore such a table is not written.",
    what_to_do: "Take one of the redesigns that `outward table` proposes. Or write `method = \"round\"`, \
        `\"suppress\"` or `\"cell-key\"` under `[protection]`.",
};
