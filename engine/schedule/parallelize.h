#pragma once
// The three ways of parallelizing a region, each a rewrite of its own; parallelize.cpp chooses.

#include <algorithm>

#include "engine/schedule/graph_edit.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule {

/// What all three need to know of the region.
struct Spread {
  std::string path, region;  ///< of the region; its name in `around`
  Graph* around = nullptr;
  Value ways;                 ///< copies of the region, as written
  std::int64_t copies = 1;    ///< as a number
  std::int64_t requests = 0;  ///< outermost extent of every input
  struct Input {
    std::string port;
    Endpoint source;       ///< what feeds it: [requests, ...]
    std::size_t rank = 0;  ///< of that stream = dimensions within one request
    std::string fold;      ///< the Flatten that makes it from [1, requests, ...], if that is its source
    Endpoint unfolded;     ///< what feeds the fold
  };
  std::vector<Input> inputs;

  Node& node() const;
  /// Depth of a FIFO in which a copy may run ahead of the others by all of its requests.
  Value room() const { return std::max<std::int64_t>(requests, 1); }
};

/// Request k goes to copy k mod copies, by Parallelize (STeP 5.4, "static interleaved").
Result<Done> interleave(Rewrite& rewrite, const Spread& spread);
/// Blocks of consecutive requests; every copy has sources of its own ("static coarse").
Result<Done> coarsen(Rewrite& rewrite, const Spread& spread, std::int64_t block);
/// A request goes to the copy that has finished reading one earliest ("dynamic"); `signal` is the stream in
/// the region whose last tile of a request says so.
Result<Done> dispatch(Rewrite& rewrite, const Spread& spread, const Endpoint& signal);

/// The dimensions per request of the stream that tells when a request has been read, if it can be that.
Result<std::size_t> signalRank(const Rewrite& rewrite, const Spread& spread, const Endpoint& signal);

/// The streams that leave the region.
std::vector<Stream> outgoing(const Spread& spread);
/// Dimensions within one request of what the region gives at `output`.
Result<std::size_t> innerRank(const Rewrite& rewrite, const Spread& spread, const std::string& output);
/// Joins what the copies give to one stream out of the region, with `inner` dimensions per request, by nodes
/// behind node `behind`. `control`: where the selectors come from that ask the copies, and the depth.
void joinCopies(const Spread& spread, const Stream& result, std::size_t inner, const std::string& behind,
                const Stream& control);
/// Joins what the copies give to the region's outputs, in the order of the requests: `copy_of[k]` had
/// request k.
Result<Done> gatherStatic(Rewrite& rewrite, const Spread& spread, const std::vector<std::int64_t>& copy_of);
/// One-hot rows [values.size(), width] that select `values`.
IntTensor oneHot(const std::vector<std::int64_t>& values, std::size_t width);

}  // namespace sluice::inline schedule
