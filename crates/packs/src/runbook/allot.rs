//! Divides a budget so that no section starves another.

/// Divides `total` by max-min fairness: small demands are met, and the others share the rest
/// evenly. For example, demands of 2, 6 and 9 get 2, 4 and 4 of a total of 10. The first of the
/// unmet demands get one more each, if there's a remainder.
pub(crate) fn allot(total: usize, demands: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    order.sort_by_key(|at| demands[*at]);
    let mut shares = vec![0; demands.len()];
    let mut left = total;
    for (done, at) in order.iter().enumerate() {
        let even = left / (demands.len() - done);
        if demands[*at] > even {
            // All remaining demands exceed an even share, so each of them gets one.
            let rest = &mut order[done..].to_vec();
            rest.sort_unstable();
            let extra = left % rest.len();
            for (place, at) in rest.iter().enumerate() {
                shares[*at] = (even + usize::from(place < extra)).min(demands[*at]);
            }
            return shares;
        }
        shares[*at] = demands[*at];
        left -= demands[*at];
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_demands_are_met() {
        assert_eq!(allot(100, &[10, 200, 300]), [10, 45, 45]);
        assert_eq!(allot(100, &[10, 20, 30]), [10, 20, 30]);
        assert_eq!(allot(7, &[5, 5]), [4, 3]);
        assert_eq!(allot(0, &[5, 5]), [0, 0]);
        assert_eq!(allot(9, &[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn shares_are_fair_and_complete(total in 0_usize..10_000, demands in prop::collection::vec(0_usize..3_000, 0..12)) {
            let shares = allot(total, &demands);
            let given: usize = shares.iter().sum();
            prop_assert_eq!(given, total.min(demands.iter().sum()));
            for (share, demand) in shares.iter().zip(&demands) {
                prop_assert!(share <= demand);
                if share < demand {
                    let most = shares.iter().max().unwrap();
                    prop_assert!(share + 1 >= *most, "{share} starves beside {most}");
                }
            }
        }
    }
}
