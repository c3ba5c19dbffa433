#include "app/cli/rewrite_listing.h"

#include <iostream>

#include "engine/schedule/transformation.h"
#include "engine/tensor/dataflow/rewrites.h"

namespace sluice::cli {
namespace {

Json offerJson(const DataflowDesign& design, const RewriteOffer& offer) {
  Json object = {{"place", nameOf(design, offer.choice.place)}, {"legal", !offer.refused}};
  if (offer.refused) {
    object["code"] = offer.refused->code;
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
  for (const Transformation* known : registeredTransformations()) {
    if (!known->rewrite) continue;
    const DataflowRewrite& rewrite = *known->rewrite;
    Json places = Json::array();
    for (const RewriteOffer& offer : offersOf(design, rewrite))
      if (refused || !offer.refused) places.push_back(offerJson(design, offer));
    list.push_back({{"name", rewrite.name},
                    {"transformation", known->spec.name},
                    {"purpose", rewrite.purpose},
                    {"argument", rewrite.argument.empty() ? Json() : Json(rewrite.argument)},
                    {"places", std::move(places)}});
  }
  return {{"rewrites", std::move(list)}};
}

void printRewrites(const Json& report) {
  const auto line = [](const Json& object, const char* member) { return object[member].get<std::string>(); };
  for (const Json& rewrite : report["rewrites"]) {
    std::cout << line(rewrite, "name") << ": " << line(rewrite, "purpose") << "\n";
    bool nowhere = true;
    for (const Json& place : rewrite["places"]) {
      nowhere = nowhere && !place["legal"];
      if (place["legal"])
        std::cout << "  " << line(place, "rewrite") << "\n";
      else
        std::cout << "  not " << line(place, "place") << ": " << line(place, "cause") << "; "
                  << line(place, "fix") << "\n";
    }
    if (nowhere) std::cout << "  legal nowhere\n";
  }
}

}  // namespace sluice::cli
