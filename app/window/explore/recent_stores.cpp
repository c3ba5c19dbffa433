#include "app/window/explore/recent_stores.h"

#include <QFileInfo>
#include <QSettings>

namespace sluice::ui {
namespace {

constexpr int most = 10;
const auto setting = QStringLiteral("recentStores");

}  // namespace

QList<RecentStore> recentStores() {
  QList<RecentStore> stores;
  for (const QVariant& each : QSettings().value(setting).toList()) {
    const QVariantMap store = each.toMap();
    const QString file = store.value(QStringLiteral("file")).toString();
    if (QFileInfo::exists(file))
      stores << RecentStore{file, store.value(QStringLiteral("program")).toString(),
                            store.value(QStringLiteral("points")).toULongLong(),
                            store.value(QStringLiteral("used")).toDateTime()};
  }
  return stores;
}

void rememberStore(const RecentStore& store) {
  QList<RecentStore> stores = recentStores();
  stores.removeIf([&](const RecentStore& each) { return each.file == store.file; });
  stores.prepend(store);
  QVariantList kept;
  for (const RecentStore& each : stores.mid(0, most))
    kept << QVariantMap{{QStringLiteral("file"), each.file},
                        {QStringLiteral("program"), each.program},
                        {QStringLiteral("points"), each.points},
                        {QStringLiteral("used"), each.used}};
  QSettings().setValue(setting, kept);
}

}  // namespace sluice::ui
