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
    why: "A record that is alone is the first thing an intruder looks for, because there is nobody to mistake it for. If \
        the file covers everyone, or the intruder knows that the person is in it, being alone means being found. Then \
        everything else the record says is known too.",
    what_to_do: "Recode the keys that split the file most: the report shows which variables drive the risk. Drop a key that users can do \
        without, or remove or swap the few records that remain alone. If the file is a small sample, look at OUT009 to \
        see how many are alone in the population as well.",
};

/// The smallest class is below k.
pub const SMALLEST_CLASS: FindingKind = FindingKind {
    code: "OUT002",
    name: "smallest-class",
    title: "The smallest class is below k",
    severity: Severity::High,
    meaning: "Records with the same values on all keys form a class. The policy asks that every class has at least k \
        records, and the smallest one has fewer. The file is therefore not k-anonymous.",
    why: "The chance of guessing right within a class is one over its size. The smallest class tells how good an \
        intruder's best guess can be, which is what a release is judged by.",
    what_to_do: "See OUT003 for how many records are concerned before you decide. Few records can be suppressed or \
        swapped at little cost. Many call for a coarser key.",
};

/// Records in classes below k.
pub const RECORDS_BELOW_K: FindingKind = FindingKind {
    code: "OUT003",
    name: "records-below-k",
    title: "Records are in classes below k",
    severity: Severity::High,
    meaning: "These records share their key with fewer than k - 1 others. Records that are alone are counted here as \
        well as in OUT001.",
    why: "The number says how much work lies between this file and one that meets the policy. It also says how much \
        would be lost if the records were simply left out. Records left out are rarely a random lot: they are minorities, \
        the very old, small places.",
    what_to_do: "If they are a small share, suppress or swap them and say so in the notes to users. If they are not, \
        recode first and suppress what is left. Try the key with the most categories first.",
};

/// A table of two, three or four keys has uniques.
pub const TABLE_UNIQUES: FindingKind = FindingKind {
    code: "OUT004",
    name: "table-uniques",
    title: "A table of a few keys has records alone in their cell",
    severity: Severity::Medium,
    meaning: "Counting the file by only two, three or four of the keys leaves cells with a single record in them. These \
        people stand out on very little knowledge.",
    why: "Hardly anyone knows eight things about a person, but many know three. The fewer variables it takes to be \
        alone, the more people are able to do the finding. Records alone in a small table also tend to be alone in the \
        population.",
    what_to_do: "Look at the categories that make the cells small and join them with their neighbours. Start with the \
        tables of two variables, as mending those often mends the larger ones. A variable that appears in many of these \
        tables is the one to recode.",
};

/// A weak k of a scenario or policy is broken.
pub const WEAK_K: FindingKind = FindingKind {
    code: "OUT005",
    name: "weak-k",
    title: "A scenario's k is not met",
    severity: Severity::High,
    meaning: "For some keys, or some records, a higher k is asked for than for the file as a whole. Among those records \
        at least one combination of those keys is shared by too few. This is called weak k-anonymity.",
    why: "The higher k stands where an attack is more likely: on what neighbours can see, or on people others look for. \
        A file can meet its k as a whole and still fail just there.",
    what_to_do: "Recode the keys the scenario names before any others. If only the chosen records fall short, they can be \
        suppressed or swapped on their own. Lower the k only if the scenario itself was too harsh, and write down why.",
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
        whatever the question was.",
    why: "What is in free text cannot be counted or recoded, so no measure in this report covers it. One sentence about \
        a rare event is enough to find someone.",
    what_to_do: "Drop the variable. If users need it, have people code it into categories and release those. Searching \
        it for names finds most of them and is not enough for open data.",
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
        other keys do, because everything looks unique beside it.",
    what_to_do: "If it tells people apart, give it the role `identifier` and drop it. If it is an amount or a time, recode \
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
    meaning: "Records with the same key have fewer different values of a sensitive variable than the policy asks for, in \
        the worst case only one. This breaks distinct l-diversity.",
    why: "An intruder need not know which of the records is the person. If all of them say the same, they have learned it \
        anyway. A large class does not help against this.",
    what_to_do: "Recode the keys so that classes with different values join. Coarser categories of the sensitive variable \
        do not help, as they make values more alike. Where a value is common and harmless, such as `no illness`, ask \
        whether learning it does any harm.",
};

/// A class is distributed far from the whole.
pub const DISTANT_DISTRIBUTION: FindingKind = FindingKind {
    code: "OUT011",
    name: "distant-distribution",
    title: "A class differs much from the whole on a sensitive variable",
    severity: Severity::Medium,
    meaning: "Among records with the same key a sensitive variable is distributed quite differently from the file as a \
        whole. The distance is larger than the t of the policy.",
    why: "Knowing someone's key then changes what one believes about them, even if nothing becomes certain. That can do \
        harm when an illness or an offence becomes likely. It can also be an honest finding of the data, which is why \
        this calls for a judgement.",
    what_to_do: "Look at the classes concerned and at what one would learn. Join them with others by recoding the keys if \
        it is something about persons. Leave it, and say why, if it is a well-known fact about groups.",
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
    meaning: "The data have the day on which people were born. With sex and a small area it is different for nearly \
        everyone.",
    why: "Birthdays are known to many and stand in registers, on cards and on the web. They never change, so one match \
        today holds for life.",
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
    meaning: "Many records have no value on this variable. The measures depend on whether missing counts as a value of \
        its own or as matching everything.",
    why: "With `category` a record can be alone because it is missing something, which an intruder cannot know. With \
        `wildcard` missing values hide others and the risk can look lower than it is.",
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
    meaning: "Some values of the data have no place in the hierarchy of the variable. At any coarser level it is not \
        known what they become.",
    why: "A value that cannot be recoded would have to stay as it is, and then stands out among coarse ones. Values that \
        were forgotten are mostly rare ones, or mistakes in the data.",
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
    why: "Some variables are ruled out whatever the counts say, because the harm is certain or because people were \
        promised so. The list belongs to the policy and not to the file.",
    what_to_do: "Drop the variable, or recode it into something that no longer plays this role. If another tier would \
        allow it, consider giving access that way. Change the role in the spec only if it was wrong.",
};

/// The sample does not fit the population.
pub const POPULATION_MISMATCH: FindingKind = FindingKind {
    code: "OUT018",
    name: "population-mismatch",
    title: "The sample does not fit the population",
    severity: Severity::Medium,
    meaning: "Some records have a combination of the keys that the population file lacks, or has less often than the \
        sample. A sample drawn from this population could not have that.",
    why: "What is said of the population, such as how many are alone in it and what a journalist can do, rests on the two \
        files fitting. Where they do not, those figures are too low or mean nothing.",
    what_to_do: "Check that both files code the keys alike: the same categories, the same spelling, the same date. Check \
        that the population is of the same people and the same time. Missing values are compared as a value of their own \
        here.",
};

/// A place may have fewer residents than the policy asks for.
pub const SMALL_PLACES: FindingKind = FindingKind {
    code: "OUT019",
    name: "small-places",
    title: "A place may have fewer residents than the policy asks for",
    severity: Severity::High,
    meaning: "The policy asks that every place in a release has at least so many residents. The spec has no step that makes \
        sure of it for this variable: nothing is done to it, or its mapping was made with a lower threshold.",
    why: "The fewer people live in a place, the fewer share a person's age, sex and illness there. A threshold on \
        residents bounds that whatever else is in the file, also for variables nobody thought of.",
    what_to_do: "Make a mapping with `outward places pool` and the policy's threshold, and add a step that applies it: \
        `do = \"place\"`. Or drop the variable. A grid says nothing about residents: a cell in the hills may have none.",
};

/// People are estimated to be alone in the population.
pub const ESTIMATED_UNIQUES: FindingKind = FindingKind {
    code: "OUT020",
    name: "estimated-uniques",
    title: "People are estimated to be alone in the population",
    severity: Severity::Medium,
    meaning: "The file is a sample. A model of the population, fitted to the sizes of the classes in the sample, says how \
        many people nobody else shares the keys with, in the sample or outside it.",
    why: "A record that is alone in the sample may have many doubles outside it, which protects it. One that is alone in the \
        population has none: someone who matches it has found the person, and can know it.",
    what_to_do: "Recode the keys that drive the risk until the estimate is small. Look at the other estimators and their \
        reasons: the chosen one is not the highest, so where they are far apart, plan for the highest. `--suda` names the records most likely to be alone. With a \
        population file the answer is exact.",
};

/// A privacy model of the policy is not met.
pub const MODEL_NOT_MET: FindingKind = FindingKind {
    code: "OUT021",
    name: "model-not-met",
    title: "A privacy model of the policy is not met",
    severity: Severity::High,
    meaning: "The policy asks for more than a k, an l or a t: that every few keys are shared, that risks stay below a limit, that \
        the population has enough people like each record. The records as they are do not meet it.",
    why: "Each model answers an intruder of its own. One knows any three things about a person, another has a list of the \
        population, a third is content with being right now and then.",
    what_to_do: "`outward plan` searches for the recoding that meets all models of the policy and loses least. Or add steps to \
        the spec and see with `outward protect` what they come to.",
};

/// A small count inside a table.
pub const UNSAFE_CELL: FindingKind = FindingKind {
    code: "OUT022",
    name: "unsafe-cell",
    title: "A cell of a table is unsafe",
    severity: Severity::High,
    meaning: "The count is above zero and no larger than the policy calls unsafe for a table of this risk. The risk follows from \
        the geography of the table, the number of its factual variables and the rating of the row.",
    why: "A person who is alone in a cell can see that they are, and one of two can tell who the other is. An intruder who knows what the \
        cell says of someone learns the rest of the row. Small counts also invite people to try.",
    what_to_do: "Redesign the table first: `outward table` shows which variables to make coarser, and what that costs. If the \
        detail is needed, round the table or suppress its unsafe cells with `[protection]`.",
};

/// A small total of a table.
pub const UNSAFE_TOTAL: FindingKind = FindingKind {
    code: "OUT023",
    name: "unsafe-total",
    title: "A total of a table is unsafe",
    severity: Severity::High,
    meaning: "A total or a subtotal is above zero and no larger than the policy calls unsafe. So few people have what the row or \
        the column stands for, whatever else the table says of them.",
    why: "If a category is that rare, knowing that someone is in it is enough to read off everything else the table shows. This \
        is looked at even in tables of low risk, where small counts inside are let pass.",
    what_to_do: "Join the category with its neighbours, or show the level above it. Leave the category out if it is of no \
        use to readers. Else round or suppress.",
};

/// A row or a column of which nearly all cells are zero.
pub const DOMINATED_BY_ZEROS: FindingKind = FindingKind {
    code: "OUT024",
    name: "dominated-by-zeros",
    title: "A row or a column is dominated by zeros",
    severity: Severity::Low,
    meaning: "Of the cells of a row or a column, at least the share that the policy names are zero, and some are not. The people in \
        it are all in a few categories.",
    why: "Zeros tell who somebody is not, and many of them tell who they are. A row with all its people in one cell is group \
        disclosure, which has a code of its own. A row that comes near it should be seen by a person before it goes out.",
    what_to_do: "Look at the row and ask what one would learn of someone in it. Show fewer categories of the variable along the \
        row. Nothing is hidden for this alone.",
};

/// All people of a total are in one category.
pub const GROUP_DISCLOSURE: FindingKind = FindingKind {
    code: "OUT025",
    name: "group-disclosure",
    title: "A group gives its members away",
    severity: Severity::High,
    meaning: "Everyone in a total is in one category of a variable, or everyone but a few. How few is for the policy to say.",
    why: "Someone who knows that a person is in the group knows their category without finding them, however large the group. If all \
        casualties of a kind were killed by the same cause, the cause is known of each of them. Those few who are not in the category \
        know it of all others.",
    what_to_do: "Join categories so that the group is spread, or join the group with another. Show the row at a higher level. \
        Suppression hides the full cell, and other cells so that the rest of the total cannot be worked out.",
};

/// A small count follows from two tables.
pub const DIFFERENCING: FindingKind = FindingKind {
    code: "OUT026",
    name: "differencing",
    title: "Two tables give a small count by difference",
    severity: Severity::High,
    meaning: "Two tables show the same variable in categories that differ a little, such as 16-24 and 16-25. What one has more than \
        the other is a count nobody published, and it is as small as the policy calls unsafe.",
    why: "Each table may be safe by itself. Taking one from the other needs no skill, and tables once published \
        cannot be taken back.",
    what_to_do: "Use the same categories in all tables of a family. If a user asks for other bands, build them from those that were \
        published. Else the later table is protected together with the earlier one.",
};

/// A sum that gives a contribution away.
pub const DOMINATED_SUM: FindingKind = FindingKind {
    code: "OUT027",
    name: "dominated-sum",
    title: "A sum gives a contribution away",
    severity: Severity::High,
    meaning: "The sum or the mean in a cell has too few contributors, or one or a few of them make up most of it, or a contributor \
        could take their own from it and come too close to the largest. The policy names which rules apply.",
    why: "A contributor knows what they gave. If little else is in the sum they know the largest of the others nearly to the \
        digit, though no count is small.",
    what_to_do: "Join the cell with others by showing a coarser level. Or suppress: the cell is hidden, with as many others as keep an \
        attacker at the distance the rule asks for.",
};

/// A hidden cell can be worked out.
pub const HIDDEN_CELL_KNOWN: FindingKind = FindingKind {
    code: "OUT028",
    name: "hidden-cell-known",
    title: "A hidden cell can be worked out",
    severity: Severity::High,
    meaning: "From everything that would be published, an attacker can work out a hidden cell exactly, or more closely than its \
        rule allows. The audit tried it with the totals of all tables together.",
    why: "A hidden cell that can be worked out is a published one. Totals, other tables of the family and the knowledge that \
        counts are whole numbers all help.",
    what_to_do: "Let Outward choose which cells to hide: it hides as many as are needed. If cells were hidden by hand or held open, \
        let go of some of them. A table with this finding is not written.",
};

/// A table has unsafe cells and no protection.
pub const TABLE_NOT_PROTECTED: FindingKind = FindingKind {
    code: "OUT029",
    name: "table-not-protected",
    title: "A table with unsafe cells has no protection",
    severity: Severity::High,
    meaning: "The table has cells that the policy calls unsafe, and the spec says nothing that would protect them. The protection that \
        is asked for may also be too weak for the policy, such as a rounding base below the largest unsafe count.",
    why: "What is unsafe stays unsafe when nobody does anything about it. Therefore such a table is not written.",
    what_to_do: "Take one of the redesigns that `outward table` proposes. Or say `method = \"round\"`, `\"suppress\"` or \
        `\"cell-key\"` under `[protection]`.",
};
