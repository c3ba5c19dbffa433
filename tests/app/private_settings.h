#pragma once
// Settings of a window test of its own: in a folder that goes with it, not the user's.

#include <QCoreApplication>
#include <QSettings>
#include <QString>

namespace sluice::ui {

inline void usePrivateSettings(const QString& application, const QString& folder) {
  QCoreApplication::setOrganizationName(QStringLiteral("SluiceTest"));
  QCoreApplication::setApplicationName(application);
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder);
}

}  // namespace sluice::ui
