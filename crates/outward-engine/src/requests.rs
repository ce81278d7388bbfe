//! Everything that is asked of the same records, counted in one pass.

use outward_cells::Cells;
use outward_spec::Result;

use crate::engine::{CountRequest, Data, Engine};

/// Requests for cells of the same data. Each has a number, by which its answer is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountRequests {
    requests: Vec<CountRequest>,
}

impl CountRequests {
    /// Adds a request and returns its number. The same keys under the same condition are counted once, with the weight
    /// if either asks for it.
    pub fn add(&mut self, request: CountRequest) -> usize {
        let same = |known: &CountRequest| {
            let weights = known.weight.is_none() || request.weight.is_none() || known.weight == request.weight;
            known.keys == request.keys && known.condition == request.condition && weights
        };
        let Some(place) = self.requests.iter().position(same) else {
            self.requests.push(request);
            return self.requests.len() - 1;
        };
        let known = &mut self.requests[place];
        known.weight = known.weight.take().or(request.weight);
        place
    }

    /// Counts all requests in one pass over the records. Without a request no record is read.
    ///
    /// # Errors
    /// If the data cannot be read, a variable is not there, or a condition cannot be evaluated.
    pub async fn count(&self, engine: &dyn Engine, data: &Data) -> Result<Vec<Cells>> {
        match self.requests.is_empty() {
            true => Ok(Vec::new()),
            false => engine.count_cells(data, &self.requests).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(keys: &[&str], weight: Option<&str>) -> CountRequest {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        CountRequest { keys, weight: weight.map(str::to_owned), condition: None }
    }

    #[test]
    fn the_same_keys_are_counted_once_with_the_weight_that_one_asks_for() {
        let mut requests = CountRequests::default();
        assert_eq!(requests.add(request(&["age"], None)), 0);
        assert_eq!(requests.add(request(&["age", "sex"], None)), 1);
        assert_eq!(requests.add(request(&["age"], Some("w"))), 0);
        assert_eq!(requests.add(request(&["age"], None)), 0);
        assert_eq!(requests.requests, [request(&["age"], Some("w")), request(&["age", "sex"], None)]);
    }

    #[test]
    fn two_weights_and_two_conditions_are_counted_apart() {
        let mut requests = CountRequests::default();
        requests.add(request(&["age"], Some("w")));
        assert_eq!(requests.add(request(&["age"], Some("v"))), 1);
        let women = CountRequest { condition: Some("sex = 'F'".to_owned()), ..request(&["age"], None) };
        assert_eq!(requests.add(women.clone()), 2);
        assert_eq!(requests.add(women), 2);
    }
}
