#pragma once
// The result stores that were written or opened last, remembered from one start to the next.

#include <QDateTime>
#include <QList>
#include <QString>

namespace sluice::ui {

struct RecentStore {
  QString file, program;  ///< program: whose points were written or looked at there last
  quint64 points = 0;     ///< of that exploration
  QDateTime used;
};

/// The newest first; files that are gone are left out.
QList<RecentStore> recentStores();
void rememberStore(const RecentStore& store);

}  // namespace sluice::ui
