#include "widgets/common/trust_line.h"

#include <QObject>
#include <QVariant>
#include <QWidget>

#include "engine/program/trust.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

constexpr const char* property = "sluiceTrust";

}  // namespace

void setTrust(QWidget& view, const QString& trust) {
  view.setProperty(property, trust);
}

QString modelOnly() {
  return QObject::tr("Trust: %1").arg(qt(sluice::text(TrustLabel())));
}

QString trustLine(const QWidget& view) {
  return trustLine(view.property(property).toString());
}

QString trustLine(const QString& trust) {
  return trust.isEmpty() ? QString() : QObject::tr("Trust in cycles: %1").arg(trust);
}

QString withTrust(const QString& tip, const QString& line) {
  if (tip.isEmpty() || line.isEmpty()) return tip;
  return tip + QStringLiteral("<br>") + line.toHtmlEscaped();
}

}  // namespace sluice::ui
