#pragma once
// A widget with the names by which tests, and people who do not see it, find it.

#include <QString>

namespace sluice::ui {

template <class T>
T* named(T* object, const char* name, const QString& accessible) {
  object->setObjectName(QString::fromLatin1(name));
  object->setAccessibleName(accessible);
  return object;
}

}  // namespace sluice::ui
