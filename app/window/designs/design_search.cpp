#include "app/window/designs/design_search.h"

#include "engine/designer/design_store.h"

namespace sluice::ui {

Result<DesignResult> runSearch(const DesignSearch& search, const Workload& workload, const KnobValues& knobs,
                               DesignObserver observer, const std::stop_token& stop) {
  std::stop_source ending;  // by the user, or by a store that takes no more
  const std::stop_callback on_stop(stop, [&ending] { ending.request_stop(); });
  std::unique_ptr<DesignStore> store;
  if (!search.store.empty()) {
    SLUICE_TRY(store,
               DesignStore::open(search.store, workload, search.request, search.file, search.resume, ending));
    observer.store = store.get();
  }
  const std::unique_ptr<Executor> executor = makeExecutor();
  Result<DesignResult> result =
      findDesigns(workload, knobs, search.request, *executor, observer, ending.get_token());
  if (store) SLUICE_CHECK(store->finish());
  return result;
}

}  // namespace sluice::ui
