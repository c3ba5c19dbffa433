#pragma once
// What every source file includes: streams, vectors, ping-pong buffers, how a dataflow region has its buffers and
// calls its processes, and how several streams are written at once: an iteration of a pipelined loop stalls as a whole
// while one of them is full. With the headers of csim/ each process is a thread, and buffers have names; for synthesis and
// with the vendor's headers it is a plain call.

#include <hls_stream.h>
#include <hls_streamofblocks.h>
#include <hls_vector.h>

#include <cmath>

#if defined(CSIM_THREADS) && !defined(__SYNTHESIS__)
#define DATAFLOW_BUFFER(type, name) hls::stream_of_blocks<type> name(#name)
#define DATAFLOW_PROCESSES csim::Processes processes
#define DATAFLOW_PROCESS(call) processes.add([&] { call; })
#define DATAFLOW_ROOM(...) csim::awaitRoom(__VA_ARGS__)
#else
#define DATAFLOW_BUFFER(type, name) hls::stream_of_blocks<type> name
#define DATAFLOW_PROCESSES
#define DATAFLOW_PROCESS(call) call
#define DATAFLOW_ROOM(...)
#endif
