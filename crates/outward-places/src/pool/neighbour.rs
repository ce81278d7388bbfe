//! Neighbour pooling: a small code joins the nearest small codes of its area until they reach the threshold together.
//!
//! Within an area, the largest group under the threshold needs the fewest others. It takes in the nearest group under
//! the threshold, and so on until at most one such group is left. Small codes join small ones, so a code that is large
//! enough stays as it is. Each code of the group left over goes to the nearest group that has been made, so that nobody
//! else loses their district. If none has been made, they go together to the nearest code. Groups lie at the mean of
//! their codes weighted by people. Distances are those of these points, not of boundaries, so a group need not be
//! connected.
//!
//! A group is named after its codes, the area said once: `SM1+2+10`.

use std::cmp::Ordering;

use outward_spec::{Error, Result};

use super::{Draft, PoolingInput, Reason};
use crate::population::Point;

struct Cluster {
    members: Vec<usize>,
    people: u64,
    middle: Point,
}

pub(super) fn pool(scene: &PoolingInput<'_>) -> Result<Vec<Draft>> {
    check_points(scene)?;
    let mut drafts = Vec::new();
    for (area, codes) in &scene.areas {
        if scene.people(codes) < scene.threshold {
            drafts.push(Draft::nowhere(codes.clone()));
            continue;
        }
        let (small, large): (Vec<_>, Vec<_>) = codes.iter().partition(|at| scene.is_small(**at));
        if small.is_empty() {
            drafts.extend(large.into_iter().map(|code| scene.kept(code)));
            continue;
        }
        let (mut made, left) = join_small(scene, small)?;
        let mut stay = clusters(scene, &large)?;
        if let Some(left) = left {
            settle(scene, left, &mut made, &mut stay)?;
        }
        drafts.extend(made.into_iter().chain(stay).map(|cluster| draft(scene, area, cluster)));
    }
    Ok(drafts)
}

/// Groups that reach the threshold, and the one that is left over.
fn join_small(scene: &PoolingInput<'_>, small: Vec<usize>) -> Result<(Vec<Cluster>, Option<Cluster>)> {
    let mut open = clusters(scene, &small)?;
    let mut made = Vec::new();
    while open.len() > 1 {
        let largest = open
            .iter()
            .enumerate()
            .max_by(|(_, a), (_, b)| a.people.cmp(&b.people).then_with(|| b.members.cmp(&a.members)));
        let Some((at, _)) = largest else { break };
        let mut growing = open.swap_remove(at);
        while growing.people < scene.threshold {
            let Some(at) = nearest(growing.middle, &open) else { return Ok((made, Some(growing))) };
            growing = join(scene, growing, open.swap_remove(at))?;
        }
        made.push(growing);
    }
    Ok((made, open.pop()))
}

/// Adds the group left over to other groups.
fn settle(scene: &PoolingInput<'_>, left: Cluster, made: &mut [Cluster], stay: &mut Vec<Cluster>) -> Result<()> {
    if made.is_empty() {
        let Some(at) = nearest(left.middle, stay) else {
            return Err(Error::bug("an area over the threshold has no group that reaches it"));
        };
        let home = stay.swap_remove(at);
        stay.push(join(scene, home, left)?);
        return Ok(());
    }
    // The groups stay where they are until every code has chosen, so that the order of choosing does not matter.
    let mut newcomers = vec![Vec::new(); made.len()];
    for single in clusters(scene, &left.members)? {
        if let Some(at) = nearest(single.middle, made) {
            newcomers[at].extend(single.members);
        }
    }
    for (home, new) in made.iter_mut().zip(newcomers) {
        home.members.extend(new);
        *home = cluster(scene, std::mem::take(&mut home.members))?;
    }
    Ok(())
}

fn nearest(from: Point, clusters: &[Cluster]) -> Option<usize> {
    let order = |a: &Cluster, b: &Cluster| -> Ordering {
        from.distance(a.middle).total_cmp(&from.distance(b.middle)).then_with(|| a.members.cmp(&b.members))
    };
    clusters.iter().enumerate().min_by(|(_, a), (_, b)| order(a, b)).map(|(at, _)| at)
}

fn join(scene: &PoolingInput<'_>, mut a: Cluster, b: Cluster) -> Result<Cluster> {
    a.members.extend(b.members);
    cluster(scene, a.members)
}

fn clusters(scene: &PoolingInput<'_>, codes: &[usize]) -> Result<Vec<Cluster>> {
    codes.iter().map(|code| cluster(scene, vec![*code])).collect()
}

fn cluster(scene: &PoolingInput<'_>, mut members: Vec<usize>) -> Result<Cluster> {
    members.sort_unstable();
    let middle = scene.middle(&members).ok_or_else(|| Error::bug("a code without coordinates was let through"))?;
    Ok(Cluster { people: scene.people(&members), middle, members })
}

fn draft(scene: &PoolingInput<'_>, area: &str, cluster: Cluster) -> Draft {
    if let [code] = cluster.members[..] {
        return scene.kept(code);
    }
    Draft::new(name(scene, area, &cluster.members), cluster.members, Reason::Neighbour)
}

/// `SM1+2+10`: shorter codes first, so that districts come in the order of their numbers.
fn name(scene: &PoolingInput<'_>, area: &str, members: &[usize]) -> String {
    let mut codes: Vec<_> = members.iter().map(|at| scene.places[*at].code.as_str()).collect();
    codes.sort_by_key(|code| (code.len(), *code));
    let districts: Option<Vec<_>> =
        codes.iter().map(|code| code.strip_prefix(area).filter(|district| !district.is_empty())).collect();
    match districts {
        Some(districts) => format!("{area}{}", districts.join("+")),
        None => codes.join("+"),
    }
}

/// Every code of an area where something has to be joined needs coordinates.
fn check_points(scene: &PoolingInput<'_>) -> Result<()> {
    const MAX_CODES_NAMED: usize = 10;
    let joins =
        |codes: &&Vec<usize>| scene.people(codes) >= scene.threshold && codes.iter().any(|code| scene.is_small(*code));
    let codes = scene.areas.values().filter(joins).flatten();
    let mut rows: Vec<_> =
        codes.filter(|code| scene.places[**code].at.is_none()).map(|code| scene.places[*code].row).collect();
    rows.sort_unstable();
    let Some(first) = rows.first() else { return Ok(()) };
    let shown: Vec<_> = rows.iter().skip(1).take(MAX_CODES_NAMED).map(u64::to_string).collect();
    let mut what = "the coordinates are missing".to_owned();
    if !shown.is_empty() {
        what += &format!(", and also in row {}", shown.join(", "));
    }
    if rows.len() > MAX_CODES_NAMED + 1 {
        what += &format!(" and {} more", rows.len() - MAX_CODES_NAMED - 1);
    }
    let help = "give coordinates to all codes of the areas where codes are joined, or pool by the rule `uk-residual`";
    Err(Error::input(what).row(*first).help(help).into())
}
