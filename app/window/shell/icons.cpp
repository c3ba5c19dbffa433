#include "app/window/shell/icons.h"

#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

namespace sluice::ui {
namespace {

QPixmap drawn(const QByteArray& svg, const QColor& colour, int size) {
  QByteArray tinted = svg;
  tinted.replace("#000000", colour.name().toLatin1());
  QSvgRenderer renderer(tinted);
  QPixmap pixmap(size, size);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
}

}  // namespace

QIcon themedIcon(const QString& name, const QPalette& palette) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray svg = file.readAll();
  QIcon icon;
  for (const int size : {16, 20, 24, 32, 48}) {
    icon.addPixmap(drawn(svg, palette.color(QPalette::ButtonText), size), QIcon::Normal);
    icon.addPixmap(drawn(svg, palette.color(QPalette::Disabled, QPalette::ButtonText), size),
                   QIcon::Disabled);
  }
  return icon;
}

}  // namespace sluice::ui
