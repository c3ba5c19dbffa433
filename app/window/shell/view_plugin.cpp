#include "app/window/shell/view_plugin.h"

#include <dlfcn.h>

#include <QStringList>

namespace sluice::ui {

Result<Done> addPluginViews() {
  using Entry = const std::vector<ViewSpec>* (*)();
  const QStringList files =
      qEnvironmentVariable("SLUICE_PLUGINS").split(QLatin1Char(':'), Qt::SkipEmptyParts);
  for (const QString& file : files) {
    // It stays loaded: this only finds it again.
    void* const library = dlopen(file.toUtf8().constData(), RTLD_LAZY | RTLD_NOLOAD);
    if (!library) continue;
    const auto entry = reinterpret_cast<Entry>(dlsym(library, "sluiceWindowPlugin"));
    if (entry) SLUICE_CHECK(addViews(*entry(), Location(Where::File, file.toStdString())));
  }
  return Done{};
}

}  // namespace sluice::ui
