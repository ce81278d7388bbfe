//! First names and surnames by the part of the world a family's names come from. Common names, in no order.

/// Where a family's names come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    British,
    Irish,
    EastEuropean,
    SouthEuropean,
    Indian,
    Muslim,
    Chinese,
    African,
}

/// The names of one origin.
pub(super) struct Names {
    pub(super) women: &'static [&'static str],
    pub(super) men: &'static [&'static str],
    pub(super) surnames: &'static [&'static str],
}

impl Origin {
    pub(super) fn names(self) -> &'static Names {
        match self {
            Origin::British => &BRITISH,
            Origin::Irish => &IRISH,
            Origin::EastEuropean => &EAST_EUROPEAN,
            Origin::SouthEuropean => &SOUTH_EUROPEAN,
            Origin::Indian => &INDIAN,
            Origin::Muslim => &MUSLIM,
            Origin::Chinese => &CHINESE,
            Origin::African => &AFRICAN,
        }
    }
}

/// British first names by generation: women and men born before 1950, before 1980, and since.
#[rustfmt::skip]
pub(super) const GENERATIONS: [(&[&str], &[&str]); 3] = [
    (
        &[
            "Margaret", "Jean", "Mary", "Joan", "Patricia", "Sheila", "Barbara", "Doreen", "June", "Shirley",
            "Dorothy", "Joyce", "Maureen", "Elizabeth", "Audrey", "Brenda", "Kathleen", "Sylvia", "Eileen", "Pamela",
            "Betty", "Beryl", "Ann", "Irene", "Rita", "Christine", "Marjorie", "Valerie", "Hazel", "Edna",
            "Winifred",
        ],
        &[
            "John", "Peter", "William", "James", "Kenneth", "George", "Ronald", "Derek", "Robert", "Dennis",
            "Thomas", "Brian", "Raymond", "Roy", "Alan", "Donald", "Douglas", "Frank", "Gordon", "Michael",
            "Stanley", "Eric", "David", "Arthur", "Norman", "Leslie", "Harold", "Albert", "Terence", "Frederick",
            "Geoffrey", "Cyril",
        ],
    ),
    (
        &[
            "Susan", "Julie", "Karen", "Jacqueline", "Deborah", "Tracey", "Jane", "Helen", "Diane", "Sharon",
            "Linda", "Alison", "Sarah", "Nicola", "Lisa", "Joanne", "Michelle", "Claire", "Samantha", "Louise",
            "Emma", "Amanda", "Rachel", "Angela", "Lorraine", "Wendy", "Caroline", "Catherine", "Dawn", "Beverley",
            "Lesley", "Fiona",
        ],
        &[
            "David", "Paul", "Andrew", "Mark", "Stephen", "Ian", "Gary", "Robert", "Richard", "Peter", "John",
            "Michael", "Anthony", "Christopher", "Darren", "Kevin", "Martin", "Simon", "Philip", "Graham", "Colin",
            "Keith", "Nigel", "Neil", "Steven", "Jason", "Lee", "Matthew", "Stuart", "Craig", "Wayne", "Jonathan",
        ],
    ),
    (
        &[
            "Rebecca", "Lauren", "Jessica", "Charlotte", "Hannah", "Sophie", "Amy", "Emily", "Laura", "Chloe",
            "Olivia", "Amelia", "Isla", "Ava", "Grace", "Mia", "Poppy", "Ella", "Lily", "Evie", "Megan", "Bethany",
            "Georgia", "Katie", "Lucy", "Holly", "Abigail", "Molly", "Ruby", "Freya", "Daisy", "Phoebe", "Eleanor",
            "Alice",
        ],
        &[
            "Jack", "Thomas", "James", "Joshua", "Daniel", "Matthew", "Ryan", "Luke", "Samuel", "Jordan", "Adam",
            "Oliver", "Harry", "George", "Noah", "Charlie", "Jacob", "Alfie", "Freddie", "Oscar", "Archie", "Leo",
            "Henry", "William", "Ethan", "Joseph", "Max", "Lewis", "Connor", "Callum", "Kieran", "Liam", "Nathan",
        ],
    ),
];

#[rustfmt::skip]
const BRITISH: Names = Names {
    women: GENERATIONS[1].0,
    men: GENERATIONS[1].1,
    surnames: &[
        "Smith", "Jones", "Taylor", "Brown", "Williams", "Wilson", "Johnson", "Davies", "Robinson", "Wright",
        "Thompson", "Evans", "Walker", "White", "Roberts", "Green", "Hall", "Wood", "Jackson", "Clarke", "Harris",
        "Lewis", "Clark", "Turner", "Hill", "Scott", "Cooper", "Morris", "Ward", "Moore", "Watson", "Baker",
        "Harrison", "Morgan", "Young", "Allen", "Mitchell", "James", "Anderson", "Phillips", "Lee", "Bell", "Parker",
        "Davis", "Bennett", "Cook", "Shaw", "Richardson", "Carter", "Collins", "Marshall", "Bailey", "Price", "Gray",
        "Cox", "Adams", "Wilkinson", "Foster", "Chapman", "Mason", "Russell", "Powell", "Webb", "Rogers", "Hunt",
        "Mills", "Holmes", "Palmer", "Matthews", "Fisher", "Barnes", "Knight", "Lloyd", "Butler", "Barker", "Thomas",
        "Hughes", "Edwards", "Pearson", "Graham", "Fletcher", "Howard", "Andrews", "Reynolds", "Ellis", "Saunders",
        "Fox", "Payne", "Day", "Dixon", "Pearce", "Gibson", "Stevens", "Dean", "Lowe", "Harvey", "Burton",
        "Lawrence", "Atkinson", "Bradley", "Hargreaves", "Ramsbottom", "Pendlebury", "Tregenza", "Penhaligon",
        "Featherstone", "Ackroyd", "Sutcliffe", "Greenwood", "Barraclough", "Armitage", "Dyer", "Ogden", "Thwaite",
        "Rowbotham", "Cartwright", "Wainwright", "Satterthwaite", "Birtwistle", "Entwistle", "Heptonstall", "Quick",
        "Vaughan",
    ],
};

#[rustfmt::skip]
const IRISH: Names = Names {
    women: &[
        "Mary", "Bridget", "Siobhan", "Niamh", "Aoife", "Orla", "Deirdre", "Kathleen", "Nora", "Sinead", "Roisin",
        "Grainne", "Maeve", "Ciara", "Eileen", "Noreen",
    ],
    men: &[
        "Patrick", "Sean", "Liam", "Declan", "Brendan", "Eamon", "Kevin", "Conor", "Cormac", "Dermot", "Gerard",
        "Niall", "Padraig", "Michael", "Thomas", "Seamus",
    ],
    surnames: &[
        "Murphy", "Kelly", "O'Sullivan", "Walsh", "O'Brien", "Byrne", "Ryan", "O'Connor", "O'Neill", "Doyle",
        "McCarthy", "Gallagher", "Doherty", "Kennedy", "Lynch", "Quinn", "Moran", "Burke", "Nolan", "Flynn",
        "Connolly", "Brennan", "Maguire", "Duffy",
    ],
};

#[rustfmt::skip]
const EAST_EUROPEAN: Names = Names {
    women: &[
        "Anna", "Katarzyna", "Agnieszka", "Magdalena", "Joanna", "Ewa", "Monika", "Elena", "Ioana", "Andreea",
        "Maria", "Kristina", "Daiva", "Inga", "Zuzana", "Petra", "Oksana", "Natalia",
    ],
    men: &[
        "Piotr", "Krzysztof", "Tomasz", "Marcin", "Pawel", "Andrzej", "Andrei", "Mihai", "Ionut", "Alexandru",
        "Tomas", "Darius", "Janis", "Martin", "Pavel", "Georgi", "Ivan", "Jakub",
    ],
    surnames: &[
        "Nowak", "Kowalski", "Wisniewski", "Wojcik", "Kaminski", "Lewandowski", "Zielinski", "Szymanski", "Popescu",
        "Ionescu", "Popa", "Dumitru", "Stan", "Kazlauskas", "Petrauskas", "Berzins", "Horvath", "Novak", "Ivanov",
        "Dimitrov", "Kovacs", "Nagy", "Shevchenko", "Melnyk",
    ],
};

#[rustfmt::skip]
const SOUTH_EUROPEAN: Names = Names {
    women: &[
        "Maria", "Ana", "Sofia", "Giulia", "Francesca", "Chiara", "Carmen", "Laura", "Ines", "Camille", "Sophie",
        "Katharina", "Eleni", "Despina", "Beatriz", "Mariana",
    ],
    men: &[
        "Joao", "Marco", "Andrea", "Luca", "Jose", "Carlos", "Miguel", "Antonio", "Pierre", "Thomas", "Jan",
        "Stefan", "Giorgos", "Andreas", "Pedro", "Rafael",
    ],
    surnames: &[
        "Silva", "Santos", "Ferreira", "Pereira", "Rossi", "Russo", "Ferrari", "Garcia", "Fernandez", "Lopez",
        "Martinez", "Martin", "Bernard", "Dubois", "Mueller", "Schmidt", "Papadopoulos", "Georgiou", "Andreou",
        "Oliveira", "Costa", "Rodrigues", "Van Dijk", "Jansen",
    ],
};

#[rustfmt::skip]
const INDIAN: Names = Names {
    women: &[
        "Priya", "Anjali", "Sunita", "Meena", "Kavita", "Nisha", "Pooja", "Harpreet", "Manjit", "Jaspreet", "Rekha",
        "Lakshmi", "Divya", "Asha", "Geeta", "Simran",
    ],
    men: &[
        "Raj", "Sanjay", "Amit", "Vijay", "Anil", "Harjit", "Gurpreet", "Manpreet", "Ravi", "Suresh", "Rohan",
        "Arjun", "Dilip", "Nikhil", "Jaswinder", "Kiran",
    ],
    surnames: &[
        "Patel", "Singh", "Kaur", "Shah", "Sharma", "Gill", "Sandhu", "Kumar", "Desai", "Mistry", "Dhillon",
        "Chauhan", "Nair", "Reddy", "Gupta", "Joshi", "Parmar", "Mehta", "Sidhu", "Grewal", "Perera", "Fernando",
        "Gurung", "Thapa",
    ],
};

#[rustfmt::skip]
const MUSLIM: Names = Names {
    women: &[
        "Fatima", "Aisha", "Maryam", "Zainab", "Khadija", "Sadia", "Nasreen", "Shazia", "Rukhsana", "Yasmin",
        "Amina", "Hafsa", "Safiya", "Noor", "Samina", "Leila",
    ],
    men: &[
        "Mohammed", "Ahmed", "Ali", "Hassan", "Imran", "Usman", "Bilal", "Abdul", "Tariq", "Yusuf", "Ibrahim",
        "Omar", "Khalid", "Faisal", "Zubair", "Hamza",
    ],
    surnames: &[
        "Khan", "Ahmed", "Hussain", "Begum", "Ali", "Akhtar", "Mahmood", "Malik", "Iqbal", "Miah", "Uddin", "Rahman",
        "Islam", "Chowdhury", "Mirza", "Shaikh", "Bibi", "Aziz", "Hassan", "Abdi", "Mohamed", "Karimi", "Rashid",
        "Farah",
    ],
};

#[rustfmt::skip]
const CHINESE: Names = Names {
    women: &["Mei", "Li", "Xiu", "Wen", "Ying", "Yan", "Hui", "Jing", "Siu", "Grace", "Vivian", "Linh"],
    men: &["Wei", "Jun", "Ming", "Chi", "Kwok", "Hao", "Jian", "Tao", "Kevin", "Eric", "Minh", "Hiroshi"],
    surnames: &[
        "Wong", "Chan", "Li", "Chen", "Wang", "Cheung", "Lam", "Ng", "Zhang", "Liu", "Lau", "Ho", "Nguyen", "Tran",
        "Tang", "Leung", "Yip", "Tanaka",
    ],
};

#[rustfmt::skip]
const AFRICAN: Names = Names {
    women: &[
        "Ngozi", "Chioma", "Folake", "Abena", "Ama", "Grace", "Blessing", "Esther", "Tendai", "Rutendo", "Wanjiru",
        "Mercy", "Comfort", "Selam", "Hodan", "Patience",
    ],
    men: &[
        "Emeka", "Chinedu", "Tunde", "Kwame", "Kofi", "Emmanuel", "Samuel", "Tinashe", "Tafadzwa", "Joseph",
        "Daniel", "Kamau", "Solomon", "Tesfaye", "Olumide", "Isaac",
    ],
    surnames: &[
        "Okafor", "Adeyemi", "Okonkwo", "Mensah", "Owusu", "Boateng", "Osei", "Moyo", "Ncube", "Mwangi", "Balogun",
        "Eze", "Asante", "Kamara", "Sesay", "Tesfay", "Banda", "Phiri", "Otieno", "Adebayo", "Nkosi", "Kabongo",
        "Dlamini", "Appiah",
    ],
};
