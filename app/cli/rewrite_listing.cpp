#include "app/cli/rewrite_listing.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/tensor/rewrite_script.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;

Json offerJson(const DataflowDesign& design, const RewriteOffer& offer) {
  Json object = {{"place", offer.place}, {"legal", !offer.refused}};
  if (offer.refused) {
    object["cause"] = offer.refused->cause;
    object["fix"] = offer.refused->fix;
  } else {
    object["rewrite"] = text(design, offer.choice);
  }
  return object;
}

}  // namespace

Json rewritesJson(const DataflowDesign& design, bool refused) {
  Json list = Json::array();
  for (const DataflowRewrite& rewrite : dataflowRewrites()) {
    Json places = Json::array();
    for (const RewriteOffer& offer : offersOf(design, rewrite))
      if (refused || !offer.refused) places.push_back(offerJson(design, offer));
    list.push_back({{"name", rewrite.name},
                    {"purpose", rewrite.purpose},
                    {"argument", rewrite.argument.empty() ? Json() : Json(rewrite.argument)},
                    {"places", std::move(places)}});
  }
  return {{"rewrites", std::move(list)}};
}

void printRewrites(const DataflowDesign& design, bool refused) {
  for (const DataflowRewrite& rewrite : dataflowRewrites()) {
    std::cout << rewrite.name << ": " << rewrite.purpose << "\n";
    std::size_t legal = 0;
    for (const RewriteOffer& offer : offersOf(design, rewrite)) {
      legal += offer.refused ? 0 : 1;
      if (!offer.refused)
        std::cout << "  " << text(design, offer.choice) << "\n";
      else if (refused)
        std::cout << "  not " << offer.place << ": " << offer.refused->cause << "; " << offer.refused->fix
                  << "\n";
    }
    if (legal == 0) std::cout << "  legal nowhere\n";
  }
}

}  // namespace sluice::cli
