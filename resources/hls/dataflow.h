#pragma once
// What every source file includes: streams, vectors, ping-pong buffers, and how a dataflow region has its buffers and
// calls its processes. With the headers of csim/ each process is a thread, and buffers have names; for synthesis and
// with the vendor's headers it is a plain call.

#include <hls_stream.h>
#include <hls_streamofblocks.h>
#include <hls_vector.h>

#include <cmath>

#if defined(CSIM_THREADS) && !defined(__SYNTHESIS__)
#define DATAFLOW_BUFFER(type, name) hls::stream_of_blocks<type> name(#name)
#define DATAFLOW_PROCESSES csim::Processes processes
#define DATAFLOW_PROCESS(call) processes.add([&] { call; })
#else
#define DATAFLOW_BUFFER(type, name) hls::stream_of_blocks<type> name
#define DATAFLOW_PROCESSES
#define DATAFLOW_PROCESS(call) call
#endif
