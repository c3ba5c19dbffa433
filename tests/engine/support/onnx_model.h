#pragma once
// ONNX models written byte by byte, with the field numbers of the ONNX specification, as exporters write
// them.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/engine/support/protobuf_bytes.h"

namespace sluice::testing_support::onnx {

using Shape = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// A model in the making.
class Model {
 public:
  /// An extent below 0 is the symbolic dimension "seq".
  Model& input(const std::string& name, const Shape& shape, int type = 1) {
    return graph_ += bytes(11, declared(name, shape, type)), *this;
  }
  Model& known(const std::string& name, const Shape& shape, int type = 1) {
    return graph_ += bytes(13, declared(name, shape, type)), *this;
  }
  Model& output(const std::string& name) { return graph_ += bytes(12, bytes(1, name)), *this; }
  Model& weight(const std::string& name, const Shape& shape, std::uint64_t type = 1) {
    return constant(name, shape, type, bytes(9, std::string(64, 'w')));
  }
  /// `values`: the fields of the tensor that hold them.
  Model& constant(const std::string& name, const Shape& shape, std::uint64_t type,
                  const std::string& values) {
    graph_ += bytes(5, packed(1, shape) + number(2, type) + bytes(8, name) + values);
    return *this;
  }
  /// A number in 32 bits.
  Model& scalar(const std::string& name, float value, const Shape& shape = {}) {
    std::string raw(sizeof value, '\0');
    std::memcpy(raw.data(), &value, sizeof value);
    return constant(name, shape, 1, bytes(9, raw));
  }
  Model& floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
    std::string raw(values.size() * sizeof(float), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    return constant(name, shape, 1, bytes(9, raw));
  }
  /// Of the type INT8.
  Model& small(const std::string& name, const Shape& shape, const std::vector<int>& values) {
    std::string raw;
    for (const int value : values) raw += static_cast<char>(value);
    return constant(name, shape, 3, bytes(9, raw));
  }
  Model& integers(const std::string& name, const Shape& values) {
    std::string raw(values.size() * 8, '\0');
    if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
    graph_ += bytes(5, packed(1, Shape{static_cast<std::int64_t>(values.size())}) + number(2, 7) +
                           bytes(8, name) + bytes(9, raw));
    return *this;
  }
  Model& node(const std::string& op, const Names& in, const std::string& out,
              const std::string& attributes = {}) {
    return named(out + "_node", op, in, {out}, attributes);
  }
  Model& named(const std::string& name, const std::string& op, const Names& in, const Names& out,
               const std::string& attributes = {}) {
    std::string content;
    for (const std::string& value : in) content += bytes(1, value);
    for (const std::string& value : out) content += bytes(2, value);
    nodes_.push_back(content + bytes(3, name) + bytes(4, op) + attributes);
    graph_ += bytes(1, nodes_.back());
    return *this;
  }
  static std::string ints(const std::string& name, const Shape& values) {
    std::string list;  // not packed, as proto2 writes them
    for (const std::int64_t value : values) list += number(8, static_cast<std::uint64_t>(value), true);
    return bytes(5, bytes(1, name) + list);
  }
  static std::string integer(const std::string& name, std::int64_t value) {
    return bytes(5, bytes(1, name) + number(3, static_cast<std::uint64_t>(value), true));
  }
  static std::string real(const std::string& name, float value) {
    std::string raw(sizeof value, '\0');
    std::memcpy(raw.data(), &value, sizeof value);
    return bytes(5, bytes(1, name) + varint(2 << 3 | 5) + raw);
  }
  static std::string word(const std::string& name, const std::string& value) {
    return bytes(5, bytes(1, name) + bytes(4, value));
  }
  /// Any field of the graph.
  Model& field(const std::string& written) { return graph_ += written, *this; }
  Model& titled(const std::string& title) { return title_ = title, *this; }
  Model& opset(const std::string& domain, std::uint64_t version) {
    return opset_ = (domain.empty() ? "" : bytes(1, domain)) + number(2, version), *this;
  }
  /// A function of the domain "own": names of what it reads and gives, and its nodes.
  Model& function(const std::string& name, const Names& in, const Names& out, const Model& body,
                  const std::string& more = {}) {
    std::string content = bytes(1, name) + bytes(10, "own") + more;
    for (const std::string& value : in) content += bytes(4, value);
    for (const std::string& value : out) content += bytes(5, value);
    for (const std::string& node : body.nodes_) content += bytes(7, node);
    functions_ += bytes(25, content);
    return *this;
  }
  /// A call of one.
  Model& call(const std::string& name, const Names& in, const std::string& out,
              const std::string& attributes = {}) {
    return node(name, in, out, attributes + bytes(7, "own"));
  }
  /// As the attribute of a node: a graph within the graph.
  std::string within(const std::string& attribute) const {
    return bytes(5, bytes(1, attribute) + bytes(6, graph_));
  }
  std::string write() const {
    return number(1, 8) + bytes(2, "a test") + bytes(7, bytes(2, title_) + graph_) + bytes(8, opset_) +
           functions_;
  }

 private:
  static std::string declared(const std::string& name, const Shape& shape, int type) {
    std::string dimensions;
    for (const std::int64_t extent : shape)
      dimensions += bytes(1, extent < 0 ? bytes(2, "seq") : number(1, static_cast<std::uint64_t>(extent)));
    return bytes(1, name) +
           bytes(2, bytes(1, number(1, static_cast<std::uint64_t>(type)) + bytes(2, dimensions)));
  }
  std::string graph_, functions_, title_ = "block", opset_ = number(2, 17);
  Names nodes_;
};

}  // namespace sluice::testing_support::onnx
