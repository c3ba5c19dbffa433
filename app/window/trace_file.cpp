#include "app/window/trace_file.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <cmath>

namespace sluice::ui {
namespace {

constexpr double exact = 9007199254740992.0;  // up to here every integer is a double

/// Fills the tensor; `depth` dimensions are known. Returns what is wrong, or nothing.
std::string fill(const QJsonArray& list, std::size_t depth, const std::string& path, IntTensor& tensor) {
  const auto size = static_cast<std::size_t>(list.size());
  if (tensor.shape.size() == depth) {
    if (!tensor.data.empty()) return path + " is a list, others before it are numbers";
    tensor.shape.push_back(size);
  }
  if (tensor.shape[depth] != size)
    return path + " has " + std::to_string(size) + " elements, others before it " +
           std::to_string(tensor.shape[depth]);
  for (qsizetype i = 0; i < list.size(); ++i) {
    const std::string place = path + "[" + std::to_string(i) + "]";
    const QJsonValue each = list[i];
    if (each.isArray()) {
      if (std::string wrong = fill(each.toArray(), depth + 1, place, tensor); !wrong.empty()) return wrong;
    } else if (!each.isDouble() || std::floor(each.toDouble()) != each.toDouble() ||
               std::abs(each.toDouble()) > exact) {
      return place + " is no integer";
    } else if (tensor.shape.size() != depth + 1) {
      return place + " is a number, others before it are lists";
    } else {
      tensor.data.push_back(static_cast<std::int64_t>(each.toDouble()));
    }
  }
  return {};
}

}  // namespace

Result<IntTensor> parseJsonTrace(const QByteArray& bytes, const std::string& name) {
  const auto refused = [&name](std::string cause) {
    return Diagnostic{Severity::Error, name, "it is no trace: " + std::move(cause),
                      "give lists of integers, all of one length: [[0, 3], [1, 2]]"};
  };
  QJsonParseError problem;
  const QJsonDocument document = QJsonDocument::fromJson(bytes, &problem);
  if (problem.error != QJsonParseError::NoError)
    return refused(problem.errorString().toStdString() + " at byte " + std::to_string(problem.offset));
  if (!document.isArray()) return refused("it is no list");
  IntTensor tensor;
  if (std::string wrong = fill(document.array(), 0, "$", tensor); !wrong.empty())
    return refused(std::move(wrong));
  if (tensor.data.empty()) return refused("it holds no values");
  return tensor;
}

}  // namespace sluice::ui
