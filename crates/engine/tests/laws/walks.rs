//! Walks through real graphs: a host that answers what it is asked, well or badly, in any order, twice or late.
//! `WALKS=20000 cargo test -p mnemograph-engine --release --test laws walk` takes as many; the seed is fixed.

use crate::graphs::{NOT_WALKED, plans};
use crate::told::Told;
use crate::walker::{Leg, Walker, identity, moves};
use mnemograph_engine::{Effect, Plan, Recording, Run, replay};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many walks are taken, of all graphs together.
fn walks() -> u32 {
    let given = std::env::var("WALKS").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(1_500)
}

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn every_walk_is_safe_repeatable_and_comes_to_an_end() {
    let plans = plans();
    let strategy = (
        any::<prop::sample::Index>(),
        moves(),
        any::<prop::sample::Index>(),
    );
    runner(walks())
        .run(&strategy, |(which, moves, at)| {
            let plan = which.get(&plans);
            let mut walker = Walker::new(plan);
            moves.iter().for_each(|step| walker.take(step));
            walker.come_to_an_end();
            judge(&walker)?;
            for (number, leg) in walker.legs.iter().enumerate() {
                let mut again = leg.run(plan);
                let mut effects = Vec::new();
                for (now, input) in &leg.inputs {
                    effects.extend(again.step(*now, input.clone()));
                }
                same(&effects, &leg.effects, "with equal inputs")?;

                let at = at.index(leg.inputs.len());
                same(
                    &put_away(plan, leg, at),
                    &leg.effects,
                    "after it was put away",
                )?;

                if number == 0 {
                    let mut recording = Recording::new(plan, identity());
                    recording.inputs.clone_from(&leg.inputs);
                    let stored = serde_json::to_string(&recording).unwrap();
                    let replayed = replay(plan, serde_json::from_str(&stored).unwrap()).unwrap();
                    let told: Vec<_> = leg.events().collect();
                    prop_assert_eq!(replayed.iter().collect::<Vec<_>>(), told);
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// The same effects to the byte.
fn same(found: &[Effect], expected: &[Effect], when: &str) -> Result<(), TestCaseError> {
    let text = |effect: &Effect| serde_json::to_string(effect).unwrap();
    for (found, expected) in found.iter().zip(expected) {
        prop_assert_eq!(text(found), text(expected), "{}", when);
    }
    prop_assert_eq!(found.len(), expected.len(), "{}", when);
    Ok(())
}

/// The effects of a leg whose state was written and read before one of its inputs, unless it was just being stored: what
/// it then tells is for the driver that stores it.
fn put_away(plan: &Rc<Plan>, leg: &Leg, at: usize) -> Vec<Effect> {
    let mut run = leg.run(plan);
    let mut effects = Vec::new();
    for (place, (now, input)) in leg.inputs.iter().enumerate() {
        if place == at {
            let state = serde_json::to_value(&run).unwrap();
            if state["phase"].get("Suspending").is_none() {
                let text = state.to_string();
                run = Run::restore(Rc::clone(plan), serde_json::from_str(&text).unwrap()).unwrap();
            }
        }
        effects.extend(run.step(*now, input.clone()));
    }
    effects
}

/// Each leg has one end; the whole has one terminal event at most.
fn judge(walker: &Walker) -> Result<(), TestCaseError> {
    let mut told = Told::default();
    for leg in &walker.legs {
        let finished = told.follow(&leg.effects)?;
        prop_assert_eq!(finished, 1, "a walk comes to an end");
    }
    Ok(())
}

#[test]
fn the_graphs_have_every_node_type_and_the_walks_reach_the_depths() {
    let plans = plans();
    let mut used = BTreeSet::new();
    for plan in &plans {
        used.extend(plan.graph.nodes().map(|(_, node)| node.type_name()));
    }
    let all = mnemograph_graph::catalogue::specs();
    let missing: Vec<_> = all
        .iter()
        .map(|spec| spec.node_type)
        .filter(|node_type| !used.contains(node_type))
        .collect();
    assert_eq!(missing, NOT_WALKED);

    let seen = RefCell::new(BTreeSet::new());
    let strategy = (any::<prop::sample::Index>(), moves());
    runner(600)
        .run(&strategy, |(which, moves)| {
            let mut walker = Walker::new(which.get(&plans));
            moves.iter().for_each(|step| walker.take(step));
            walker.come_to_an_end();
            let mut seen = seen.borrow_mut();
            seen.extend(walker.events().map(|event| event.data.type_name()));
            seen.extend(walker.effects().filter_map(|effect| match effect {
                Effect::SaveCheckpoint { .. } => Some("checkpoint"),
                Effect::CallHost { work, .. } => Some(work.as_str()),
                _ => None,
            }));
            Ok(())
        })
        .unwrap();
    let seen = seen.into_inner();
    for expected in [
        "loop_pass",
        "node_retry",
        "node_skipped",
        "node_failed",
        "tool_call",
        "tool_result",
        "variable_set",
        "memory_written",
        "interrupt",
        "resumed",
        "custom",
        "reply_done",
        "run_finished",
        "run_failed",
        "run_cancelled",
        "run_limit",
        "checkpoint",
        "function",
        "http",
        "schema",
    ] {
        assert!(
            seen.contains(expected),
            "no walk came to {expected}: {seen:?}"
        );
    }
}
