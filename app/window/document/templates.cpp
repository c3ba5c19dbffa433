#include "app/window/document/templates.h"

#include <QCoreApplication>
#include <QFile>
#include <stdexcept>

#include "engine/program/file_format.h"

namespace sluice::ui {

QList<Template> templates() {
  const auto shown = [](const char* text) {
    return QCoreApplication::translate("sluice::ui::Template", text);
  };
  return {{QStringLiteral("load_map_store"), shown("&Load, Map, Store"),
           shown("A matrix through one function, tile by tile")},
          {QStringLiteral("expert_layer"), shown("&Expert Layer"),
           shown("Tokens are routed to two experts, each a SwiGLU layer")},
          {QStringLiteral("attention"), shown("&Attention"),
           shown("One head: keys and values are streamed past tiles of queries")},
          {QStringLiteral("tensor_program"), shown("&Tensor Program"),
           shown("Two layers over whole tensors, compiled by the schedule")}};
}

Document documentOf(const Template& chosen) {
  QFile file(QStringLiteral(":/templates/%1.sluice").arg(chosen.name));
  const bool there = file.open(QIODevice::ReadOnly);
  Result<Document> document = parseDocument(file.readAll().toStdString(), chosen.name.toStdString());
  if (!there || !document) throw std::logic_error("no template " + chosen.name.toStdString());
  return *std::move(document);
}

}  // namespace sluice::ui
