//! A chain of stages on DAM's channels, for `dam.py`: a source, STAGES stages that each take a token, hold it for a cycle and pass it on, and a
//! sink. Arguments: stages, tokens, depth of every channel. Prints cycles, the sum that arrived, and the seconds that the run took.

use dam::context_tools::*;
use dam::simulation::*;
use dam::utility_contexts::FunctionContext;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// As many bytes as a token of Sluice has.
#[derive(Clone, Debug, Default, PartialEq)]
struct Payload {
    number: u64,
    rest: [u64; 3],
}

impl dam::types::StaticallySized for Payload {
    const SIZE: usize = 256;
}

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [stages, tokens, depth] = numbers[..] else { panic!("STAGES TOKENS DEPTH") };
    let arrived = Arc::new(AtomicU64::new(0));
    let mut program = ProgramBuilder::default();

    let (sender, mut receiver) = program.bounded::<Payload>(depth as usize);
    let mut source = FunctionContext::default();
    sender.attach_sender(&source);
    source.set_run(move |time| {
        for number in 0..tokens {
            let token = Payload { number, ..Default::default() };
            sender.enqueue(time, ChannelElement::new(time.tick() + 1, token)).unwrap();
            time.incr_cycles(1);
        }
    });
    program.add_child(source);
    for _ in 0..stages {
        let (sender, next) = program.bounded::<Payload>(depth as usize);
        let input = std::mem::replace(&mut receiver, next);
        let mut stage = FunctionContext::default();
        input.attach_receiver(&stage);
        sender.attach_sender(&stage);
        stage.set_run(move |time| {
            // The slot of a token is free when the token has left, as in Sluice.
            while let Ok(token) = input.peek_next(time) {
                time.incr_cycles(1);
                sender.enqueue(time, ChannelElement::new(time.tick(), token.data)).unwrap();
                input.dequeue(time).unwrap();
            }
        });
        program.add_child(stage);
    }
    let mut sink = FunctionContext::default();
    receiver.attach_receiver(&sink);
    let sum = arrived.clone();
    sink.set_run(move |time| {
        while let Ok(token) = receiver.dequeue(time) {
            sum.fetch_add(token.data.number, Ordering::Relaxed);
            time.incr_cycles(1);
        }
    });
    program.add_child(sink);

    let start = std::time::Instant::now();
    let executed = program
        .initialize(InitializationOptionsBuilder::default().run_flavor_inference(true).build().unwrap())
        .unwrap()
        .run(RunOptionsBuilder::default().build().unwrap());
    let seconds = start.elapsed().as_secs_f64();
    assert!(executed.passed());
    println!("{} {} {:.6}", executed.elapsed_cycles().unwrap(), arrived.load(Ordering::Relaxed), seconds);
}
