//! Joint classes: records that share their published keys with few others in several releases together, but not in one
//! release alone.
//!
//! Release *r* shows the recoded keys of every record, or that the record is not in it: *g_r(i)*. The class of record
//! *i* in releases *X* is *C_X(i) = { j : g_r(j) = g_r(i) for all r in X }*. A set *S* of earlier releases exposes
//! record *i* together with the new release *n* if
//!
//! > |C_{S ∪ n}(i)| < k, and |C_X(i)| ≥ k for every X that lacks one release of S ∪ n.
//!
//! Classes only shrink as releases are added. So if the classes of all releases together are large, those of every
//! subset are, and the search ends. A release that divides no class of the new one is left out, since it exposes nobody
//! together with it.
//!
//! Sources: Sweeney 2002, *k-anonymity*, section 4.2 (complementary releases); Ganta, Kasiviswanathan and Smith 2008, *Composition attacks and
//! auxiliary information in data privacy*.

use std::collections::HashMap;

use outward_engine::ReleasedColumns;
use outward_spec::Result;

use super::partition::Partition;
use super::support::{has_wildcards, supported_sizes};

/// The keys of a release, as it shows them for every record.
#[derive(Debug, Clone, Copy)]
pub struct ShownKeys<'a> {
    /// The variables, one for each column. Its own keys come first. Then come other keys of the new release that it
    /// shows. Last come its keys that the new release shows but does not call keys. Whoever knows a variable for one
    /// release knows it for the other.
    pub keys: &'a [String],
    /// How many are its own keys.
    pub own: usize,
    /// The position from which columns are those of the new release.
    pub borrowed: usize,
    /// Their values.
    pub released: &'a ReleasedColumns,
    /// Whether missing values of a key match every value.
    pub wild: &'a [bool],
}

/// Records that several releases expose together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// The earlier releases, by position. None of them can be left out.
    pub with: Vec<usize>,
    /// The records in classes smaller than k, by position.
    pub below_k: Vec<usize>,
    /// The records that are alone in their class, by position, including those that were in a class smaller than k in
    /// one release.
    pub alone: Vec<usize>,
    /// The size of the smallest class of such a record in each earlier release, in the new one, and in all together.
    pub smallest: Vec<u64>,
}

/// Everything that a new release and earlier ones expose together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposures {
    /// The exposures by sets of earlier releases, small sets first.
    pub found: Vec<Exposure>,
    /// Whether missing values that match every value were treated as separate values, since there are too many classes
    /// to compare. Then too many records may be reported, but not too few.
    pub is_cautious: bool,
}

/// How much a variable of a release contributes to an exposure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableEffect {
    /// The earlier release, by position; `None` for the new one.
    pub release: Option<usize>,
    /// The variable.
    pub variable: String,
    /// How many of the records would not be exposed if the release did not show it.
    pub freed: u64,
}

/// Up to this many earlier releases, all sets of them are tried. With more, only sets of one or two and the set of all.
pub const ALL_SETS: usize = 8;

/// The new release together with earlier ones.
#[derive(Debug)]
pub struct Joint<'a> {
    new: Member<'a>,
    earlier: Vec<Member<'a>>,
    /// The earlier releases that divide a class of the new one, by position.
    dividing: Vec<usize>,
}

/// One release and its classes.
#[derive(Debug)]
struct Member<'a> {
    shown: ShownKeys<'a>,
    partition: Partition,
    /// Its classes on its own keys.
    alone: Partition,
    /// The sizes of these, as its policy counts them.
    sizes: Vec<u64>,
    /// Whether some missing values match every value.
    is_wild: bool,
}

impl<'a> Member<'a> {
    fn new(shown: ShownKeys<'a>, threads: usize) -> Result<Self> {
        let columns: Vec<usize> = (0..shown.keys.len()).collect();
        let (partition, alone) = match shown.own == columns.len() {
            true => {
                let all = Partition::of_columns(shown.released, &columns);
                (all.clone(), all)
            }
            false => [&columns[..], &columns[..shown.own]].map(|of| Partition::of_columns(shown.released, of)).into(),
        };
        let sizes = alone.sizes_by_policy(shown.released, &shown.wild[..shown.own], threads)?;
        Ok(Self { shown, partition, alone, sizes, is_wild: has_wildcards(&shown) })
    }

    /// Whether a record is safe in this release alone.
    fn is_safe(&self, record: usize, least: u64) -> bool {
        self.alone.is_outside(record) || self.sizes[self.alone.class_of(record)] >= least
    }
}

/// The classes of several releases together.
struct Together {
    partition: Partition,
    /// If missing values match every value: how many records support those of a class, for the classes needed.
    supported: HashMap<usize, u64>,
    /// Whether missing values were treated as separate values, since there are too many classes.
    is_cautious: bool,
}

impl Together {
    /// `small` has the records whose classes are needed.
    fn new(members: &[&Member<'_>], partition: Partition, small: &[usize]) -> Self {
        let is_wild = members.iter().any(|member| member.is_wild);
        let supported = match is_wild && !small.is_empty() {
            true => supported_sizes(&partition, &members.iter().map(|member| member.shown).collect::<Vec<_>>(), small),
            false => Some(HashMap::new()),
        };
        Self { partition, is_cautious: supported.is_none(), supported: supported.unwrap_or_default() }
    }

    fn size(&self, record: usize) -> u64 {
        let exactly = self.partition.size(record);
        if self.partition.is_outside(record) {
            return exactly;
        }
        self.supported.get(&self.partition.class_of(record)).copied().unwrap_or(exactly)
    }
}

/// The classes of a set of earlier releases, without and with the new one.
struct Set {
    members: Vec<usize>,
    earlier: Together,
    joint: Together,
}

impl<'a> Joint<'a> {
    /// # Errors If classes with missing values cannot be counted.
    pub fn new(new: ShownKeys<'a>, earlier: &[ShownKeys<'a>], threads: usize) -> Result<Self> {
        let new = Member::new(new, threads)?;
        let earlier: Vec<Member<'a>> =
            earlier.iter().map(|shown| Member::new(*shown, threads)).collect::<Result<_>>()?;
        let divides = |at: &usize| {
            if new.is_wild || earlier[*at].is_wild {
                // A class can lose records that support it without being divided.
                let is_the_same = |one: &ShownKeys<'_>, other: &ShownKeys<'_>| {
                    one.keys == other.keys && one.wild == other.wild && one.released == other.released
                };
                return !is_the_same(&new.shown, &earlier[*at].shown);
            }
            let other = &earlier[*at].partition;
            // Records that the new release leaves out and the earlier one has are a class that only both together show.
            let is_left_out = |record: usize| new.partition.is_outside(record) && !other.is_outside(record);
            new.partition.join(other).classes() > new.partition.classes()
                || (0..new.shown.released.present.len()).any(is_left_out)
        };
        let dividing = (0..earlier.len()).filter(divides).collect();
        Ok(Self { new, earlier, dividing })
    }

    /// Whether there are so many earlier releases that not all sets of them are tried.
    pub fn is_partly_searched(&self) -> bool {
        self.dividing.len() > ALL_SETS
    }

    /// How many records are in both the new release and an earlier one.
    pub fn in_both(&self, at: usize) -> u64 {
        let both = self.new.shown.released.present.iter().zip(&self.earlier[at].shown.released.present);
        both.filter(|(new, earlier)| **new && **earlier).count() as u64
    }

    /// The records that the new release and earlier ones expose together, by the sets of earlier releases that do it.
    pub fn exposures(&self, k: u64) -> Exposures {
        let mut exposures = Exposures::default();
        let Some(partition) = self.join(&self.dividing) else { return exposures };
        let partition = partition.join(&self.new.partition);
        // The same search twice: for classes below k, and for records that are alone.
        let small = |least: u64| -> Vec<usize> {
            let records = 0..self.new.shown.released.present.len();
            records.filter(|record| partition.size(*record) < least && self.new.is_safe(*record, least)).collect()
        };
        let mut open: [(u64, Vec<Open>); 2] =
            [k, 2].map(|least| (least, small(least).into_iter().map(Open::new).collect()));
        drop(partition);
        if open.iter().all(|(_, open)| open.is_empty()) {
            return exposures;
        }
        let mut asked: Vec<usize> = open.iter().flat_map(|(_, open)| open.iter().map(|open| open.record)).collect();
        asked.sort_unstable();
        asked.dedup();
        let sets = self.sets();
        for (at, members) in sets.iter().enumerate() {
            let Some(set) = self.set(members, &asked, k.max(2)) else { continue };
            exposures.is_cautious |= set.joint.is_cautious;
            let [below_k, alone] = &mut open;
            let exposed = |(least, open): &mut (u64, Vec<Open>)| -> Vec<usize> {
                let exposed = open
                    .iter_mut()
                    .filter_map(|open| self.is_exposed(&set, at, &sets, open, *least).then_some(open.record));
                exposed.collect()
            };
            let (below_k, alone) = (exposed(below_k), exposed(alone));
            if !below_k.is_empty() || !alone.is_empty() {
                let smallest = self.smallest(&set, if below_k.is_empty() { &alone } else { &below_k });
                exposures.found.push(Exposure { with: members.clone(), below_k, alone, smallest });
            }
        }
        exposures
    }

    /// How much each variable of the releases contributes to an exposure, largest first. If missing values match every
    /// value, classes without a variable are not counted again, and the result is empty.
    pub fn parts(&self, exposure: &Exposure, k: u64) -> Vec<VariableEffect> {
        let members: Vec<Option<usize>> =
            exposure.with.iter().copied().map(Some).chain(std::iter::once(None)).collect();
        let member = |at: Option<usize>| at.map_or(&self.new, |at| &self.earlier[at]);
        if members.iter().any(|at| member(*at).is_wild) {
            return Vec::new();
        }
        let (records, least) = match exposure.below_k.is_empty() {
            true => (&exposure.alone, 2),
            false => (&exposure.below_k, k),
        };
        let mut parts = Vec::new();
        for release in &members {
            let own = member(*release);
            let others = members.iter().filter(|other| *other != release).map(|other| &member(*other).partition);
            let others = others.cloned().reduce(|joined, other| joined.join(&other));
            for (left_out, variable) in own.shown.keys.iter().enumerate() {
                let rest: Vec<usize> = (0..own.shown.keys.len()).filter(|at| *at != left_out).collect();
                let without = Partition::of_columns(own.shown.released, &rest);
                let without = others.as_ref().map_or_else(|| without.clone(), |others| others.join(&without));
                let freed = records.iter().filter(|record| without.size(**record) >= least).count() as u64;
                // A borrowed column is one of the new release.
                let release = release.filter(|_| left_out < own.shown.borrowed);
                parts.push(VariableEffect { release, variable: variable.clone(), freed });
            }
        }
        parts.sort_by(|a, b| {
            b.freed.cmp(&a.freed).then_with(|| (a.release, &a.variable).cmp(&(b.release, &b.variable)))
        });
        parts
    }

    /// The smallest classes of some records in each release of a set, and in all together.
    fn smallest(&self, set: &Set, records: &[usize]) -> Vec<u64> {
        let least = |sizes: Vec<u64>| sizes.into_iter().min().unwrap_or_default();
        let members = set.members.iter().map(|at| &self.earlier[*at]).chain([&self.new]);
        let of_member = |member: &Member<'_>| {
            let there = records.iter().filter(|record| !member.alone.is_outside(**record));
            least(there.map(|record| member.sizes[member.alone.class_of(*record)]).collect())
        };
        let together = least(records.iter().map(|record| set.joint.size(*record)).collect());
        members.map(of_member).chain([together]).collect()
    }

    /// The classes of several earlier releases.
    fn join(&self, members: &[usize]) -> Option<Partition> {
        let partitions = members.iter().map(|at| self.earlier[*at].partition.clone());
        partitions.reduce(|joined, other| joined.join(&other))
    }

    /// A set of earlier releases, with the classes smaller than `most` of the records needed.
    fn set(&self, members: &[usize], asked: &[usize], most: u64) -> Option<Set> {
        let small = |partition: &Partition| -> Vec<usize> {
            asked.iter().copied().filter(|record| partition.size(*record) < most).collect()
        };
        let earlier = self.join(members)?;
        let mut all: Vec<&Member<'_>> = members.iter().map(|at| &self.earlier[*at]).collect();
        let joint = earlier.join(&self.new.partition);
        let of_earlier = if members.len() > 1 { small(&earlier) } else { Vec::new() };
        let earlier = Together::new(&all, earlier, &of_earlier);
        all.push(&self.new);
        let of_joint = small(&joint);
        Some(Set { members: members.to_vec(), earlier, joint: Together::new(&all, joint, &of_joint) })
    }

    /// The sets of earlier releases that are tried, small sets first.
    fn sets(&self) -> Vec<Vec<usize>> {
        let many = self.dividing.len();
        let sizes = if many <= ALL_SETS { 1..many } else { 1..3 };
        let smaller = sizes.flat_map(|size| outward_cells::combinations(many, size));
        let members = |places: Vec<usize>| places.into_iter().map(|at| self.dividing[at]).collect::<Vec<_>>();
        smaller.map(members).chain(std::iter::once(self.dividing.clone())).collect()
    }

    /// Whether a set exposes a record, and none of its releases can be left out.
    fn is_exposed(&self, set: &Set, at: usize, sets: &[Vec<usize>], open: &mut Open, least: u64) -> bool {
        let record = open.record;
        let within = |other: &usize| sets[*other].iter().all(|member| set.members.contains(member));
        let are_safe = set.members.iter().all(|member| self.earlier[*member].is_safe(record, least));
        if !are_safe || open.known.iter().chain(&open.exposing).any(within) {
            return false;
        }
        // What earlier releases expose without the new one is no finding. If this is not certain, it is assumed that
        // they do not.
        if set.members.len() > 1 && !set.earlier.is_cautious && set.earlier.size(record) < least {
            open.known.push(at);
            return false;
        }
        let is_exposed = set.joint.size(record) < least;
        if is_exposed {
            open.exposing.push(at);
        }
        is_exposed
    }
}

/// A record whose class is small in all releases together.
struct Open {
    record: usize,
    /// The sets that expose it together with the new release.
    exposing: Vec<usize>,
    /// The sets of earlier releases that expose it without the new one.
    known: Vec<usize>,
}

impl Open {
    fn new(record: usize) -> Self {
        Self { record, exposing: Vec::new(), known: Vec::new() }
    }
}
