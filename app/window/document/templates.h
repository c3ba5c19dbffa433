#pragma once
// The documents that File > New can begin with, besides an empty one: small programs that run.

#include <QList>
#include <QString>

#include "engine/program/document.h"

namespace sluice::ui {

struct Template {
  QString name;     ///< of its resource
  QString title;    ///< with its access key
  QString summary;  ///< one line
};

QList<Template> templates();
Document documentOf(const Template& chosen);

}  // namespace sluice::ui
