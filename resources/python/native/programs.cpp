// Programs: documents, expressions, and the types of streams in programs that are still being written.

#include <map>

#include "engine/explorer/evaluate.h"
#include "engine/importers/extents.h"
#include "engine/importers/registry.h"
#include "engine/interchange/step_fixture.h"
#include "engine/interchange/step_settings.h"
#include "engine/operators/draft.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "engine/program/stream_id.h"
#include "engine/workloads/workload_builder.h"
#include "native/attend.h"
#include "native/conversions.h"
#include "native/parts.h"

namespace sluice::python {
namespace {

Expr expressionFrom(const py::handle& object) {
  if (py::isinstance<Expr>(object)) return object.cast<Expr>();
  if (py::isinstance<py::str>(object)) return taken(parseExpr(object.cast<std::string>()));
  if (PyIndex_Check(object.ptr())) {
    const Value number = valueFrom(object);
    if (number.integer()) return Expr(*number.integer());
  }
  throw py::type_error("expected a whole number, a dimension or an expression as text, found " +
                       py::repr(object).cast<std::string>());
}

const char* kindOf(const Dim& dim) {
  return dim.kind == DimKind::Static ? "static" : dim.kind == DimKind::Regular ? "regular" : "ragged";
}

py::tuple dimOf(const Dim& dim) {
  return py::make_tuple(dim.extent, kindOf(dim));
}

py::list shapeOf(const Shape& shape) {
  py::list list;
  for (const Dim& dim : shape) list.append(dimOf(dim));
  return list;
}

py::dict typeOf(const StreamType& type) {
  py::dict entry;
  entry["text"] = text(type);
  entry["shape"] = shapeOf(type.shape);
  entry["element"] = text(type.element);
  entry["tile"] = py::none();
  if (const TileType* tile = type.element.tile())
    entry["tile"] = py::make_tuple(dimOf(tile->rows), dimOf(tile->cols), text(tile->scalar));
  return entry;
}

/// The places of the diagnostics name a probe by the stream that it looks at; nothing else has such names.
constexpr const char* probe_stem = "probe__";

/// Puts a Consumer behind each end, "expert.up" and the stream's source within that graph; then every one of
/// them has a type.
Document withProbes(Document document, const std::vector<std::pair<std::string, std::string>>& ends) {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& [path, source] = ends[i];
    Graph* graph = findGraph(document, path);
    const std::optional<Endpoint> from = parseEndpoint(source);
    if (!graph || !from)
      throw py::value_error("there is no stream " + source + " in the graph '" + path + "'");
    const std::string name = probe_stem + std::to_string(i);
    graph->nodes.push_back({name, "Consumer", {}, {}, {}});
    graph->streams.push_back({*from, {name, "in", {}}, {}});
  }
  return document;
}

/// The number of the probe at the end of an operator's origin; none for other operators.
std::optional<std::size_t> probeOf(const std::string& origin) {
  const std::size_t at = origin.rfind(probe_stem);
  if (at == std::string::npos) return std::nullopt;
  return std::stoul(origin.substr(at + std::string_view(probe_stem).size()));
}

/// ({number of an end: type}, diagnostics) of a program that is still being written. Inputs that cannot be
/// loaded are left out.
py::tuple typesOf(const Document& document, const std::string& folder,
                  const std::vector<std::pair<std::string, std::string>>& ends) {
  const Document probed = withProbes(document, ends);
  const KnobValues knobs = defaultKnobs(document);
  Result<std::shared_ptr<const Workload>> workload = makeWorkload(document, folder);
  if (!workload) return py::make_tuple(py::dict(), toPython(workload.diagnostics()));
  const Result<Draft> draft = typeDraft(probed, knobs, (*workload)->inputs);
  if (!draft) return py::make_tuple(py::dict(), toPython(draft.diagnostics()));
  py::dict types;
  for (const FlatOperator& op : draft->graph.operators) {
    const std::optional<std::size_t> end = probeOf(op.origin);
    if (!end || op.inputs.empty() || op.inputs.front() == open_port) continue;
    const py::int_ key(*end);
    const std::optional<StreamType>& type = draft->streams[op.inputs.front()];
    if (type && !types.contains(key)) types[key] = typeOf(*type);
  }
  return py::make_tuple(types, toPython(draft->problems));
}

py::object coverageOf(const Imported& imported) {
  if (!imported.coverage) return py::none();
  const ImportCoverage& coverage = *imported.coverage;
  py::list cuts;
  using namespace py::literals;
  for (const ImportCoverage::Cut& cut : coverage.cuts)
    cuts.append(py::dict("node"_a = cut.name, "operator"_a = cut.kind, "why"_a = cut.why,
                         "macs"_a = cut.unknown ? py::object(py::none()) : py::int_(cut.products)));
  return py::dict("nodes"_a = coverage.nodes, "nodes_understood"_a = coverage.nodes_understood,
                  "macs"_a = coverage.products, "macs_understood"_a = coverage.products_understood,
                  "bytes"_a = coverage.bytes, "bytes_understood"_a = coverage.bytes_understood,
                  "pieces"_a = coverage.pieces, "cuts"_a = cuts);
}

/// Throws Refused.
std::int64_t extentFrom(const py::handle& given, const Location& place) {
  std::optional<std::int64_t> extent;
  try {
    const Value value = valueFrom(given);
    if (value.integer()) extent = *value.integer();
  } catch (const py::type_error&) {
  } catch (const py::error_already_set&) {  // OverflowError
  }
  if (extent && *extent > 0) return *extent;
  throw Refused({error("invalid-option", place,
                       py::repr(given).cast<std::string>() + " is no extent, a whole number from 1 on",
                       "give one, or a list of them, as in {\"seq\": [64, 32, 128]}")});
}

/// Of a whole number, or a list of them. Throws Refused.
std::vector<std::int64_t> extentsIn(const py::handle& given, const Location& place) {
  if (!py::isinstance<py::list>(given) && !py::isinstance<py::tuple>(given))
    return {extentFrom(given, place)};
  std::vector<std::int64_t> extents;
  for (const py::handle each : given) extents.push_back(extentFrom(each, place));
  return extents;
}

/// ((document, report, coverage, weights), interruption)
py::tuple imported(const std::filesystem::path& file, const py::dict& dimensions, bool weights) {
  ImportOptions options;
  for (const auto& [key, given] : dimensions) {
    const auto name = py::str(key).cast<std::string>();
    const Location place(Where::Argument, "dimensions['" + name + "']");
    taken(takeExtents(options, name, extentsIn(given, place), place));
  }
  TensorSet tensors;
  if (weights)
    options.take_weight = [&](const std::string& name, FloatTensor tensor) -> Result<Done> {
      tensors[name] = std::move(tensor);
      return Done{};
    };
  std::optional<Result<Imported>> result;
  const py::object interruption = attend(py::none(), [&](const std::stop_token& stop, Told&) {
    options.stop = stop;
    result = importFile(file, options);
  });
  if (!interruption.is_none()) return py::make_tuple(py::none(), interruption);
  Imported found = taken(*std::move(result));
  const py::object coverage = coverageOf(found);
  return py::make_tuple(
      py::make_tuple(std::move(found.document), toPython(found.report), coverage, toPython(tensors)),
      interruption);
}

/// A STeP graph in JSON, on the machine of an HBMConfig in JSON, if one is given.
Document stepGraph(const std::string& text, const std::string& hbm, const std::string& name) {
  Document document = taken(importStepFixture(text, name));
  if (!hbm.empty()) taken(parseHbmConfig(hbm, name)).applyTo(document.machine);
  return document;
}

py::object exprOrNumber(const Expr& expr) {
  const std::optional<std::int64_t> number = expr.constant();
  return number ? py::object(py::int_(*number)) : py::cast(expr);
}

std::map<std::string, Expr> valuesFrom(const py::dict& given) {
  std::map<std::string, Expr> values;
  for (const auto& [name, value] : given)
    values.emplace(py::str(name).cast<std::string>(), expressionFrom(value));
  return values;
}

using Operation = Expr (*)(const Expr&, const Expr&);

/// a OP b, and with `swapped` b OP a for Python's reflected methods.
template <bool swapped>
auto binary(Operation operation) {
  return [operation](const Expr& self, const py::handle& other) {
    const Expr there = expressionFrom(other);
    return swapped ? operation(there, self) : operation(self, there);
  };
}

/// Throws what Python has for 0.
Expr divisorFrom(const py::handle& object) {
  Expr divisor = expressionFrom(object);
  if (divisor.constant() != 0) return divisor;
  PyErr_SetString(PyExc_ZeroDivisionError, "division of a dimension by zero");
  throw py::error_already_set();
}
Expr divided(const Expr& a, const Expr& b) {
  return floorDiv(a, divisorFrom(py::cast(b)));
}

/// What is certain whatever the symbols are, which are 0 or more.
bool isCertain(const Expr& smaller, const Expr& larger) {
  return max(smaller, larger) == larger;
}

/// Of what depends on what the symbols of an expression are.
Refused undecided(const std::string& question, const Expr& of) {
  return Refused(
      {error("dynamic-extent", Location(question), "whether it holds depends on what the names in it are",
             "put numbers in their places, as in dimension.substitute({\"" + *of.symbols().begin() +
                 "\": 64}), or take sluice.max_of() or min_of()")});
}

/// Throws Refused where it depends on what the symbols are; so does isTrue().
bool isBelow(const Expr& a, const Expr& b) {
  if (isCertain(a + Expr(1), b)) return true;
  if (isCertain(b, a)) return false;
  throw undecided("the comparison " + a.text() + " < " + b.text(), a - b);
}

bool isTrue(const Expr& a) {
  if (const std::optional<std::int64_t> number = a.constant()) return *number != 0;
  if (isCertain(1, a) || isCertain(a, -1)) return true;
  throw undecided("the truth of " + a.text(), a);
}

Expr power(const Expr& base, const py::handle& exponent) {
  constexpr std::int64_t most = 64;
  const std::optional<std::int64_t> times = expressionFrom(exponent).constant();
  if (!times || *times < 0 || *times > most)
    throw py::type_error("the exponent of a dimension is a whole number from 0 to 64");
  Expr product = 1;
  for (std::int64_t i = 0; i < *times; ++i) product *= base;
  return product;
}

std::int64_t numberOf(const Expr& expr) {
  const std::optional<std::int64_t> number = expr.constant();
  if (!number)
    throw py::type_error("the dimension " + expr.text() + " is no number; substitute() the names in it");
  return *number;
}

void addComparisons(py::class_<Expr>& expression) {
  expression.def("__bool__", isTrue)
      .def("__lt__", [](const Expr& a, const py::handle& b) { return isBelow(a, expressionFrom(b)); })
      .def("__gt__", [](const Expr& a, const py::handle& b) { return isBelow(expressionFrom(b), a); })
      .def("__le__", [](const Expr& a, const py::handle& b) { return !isBelow(expressionFrom(b), a); })
      .def("__ge__", [](const Expr& a, const py::handle& b) { return !isBelow(a, expressionFrom(b)); })
      .def("__eq__",
           [](const Expr& self, const py::object& other) {
             const bool comparable = py::isinstance<Expr>(other) || PyIndex_Check(other.ptr());
             return comparable && self == expressionFrom(other);
           })
      .def("__hash__", [](const Expr& self) {
        const std::optional<std::int64_t> number = self.constant();
        return number ? py::hash(py::int_(*number)) : py::hash(py::str(self.text()));
      });
}

void addExpression(py::module_& module) {
  const Operation plus = [](const Expr& a, const Expr& b) { return a + b; };
  const Operation minus = [](const Expr& a, const Expr& b) { return a - b; };
  const Operation times = [](const Expr& a, const Expr& b) { return a * b; };
  const Operation modulo = [](const Expr& a, const Expr& b) { return a - divided(a, b) * b; };
  py::class_<Expr> expression(module, "Expression");
  addComparisons(expression);
  expression.def(py::init([](const py::object& object) { return expressionFrom(object); }))
      .def("__add__", binary<false>(plus))
      .def("__radd__", binary<true>(plus))
      .def("__sub__", binary<false>(minus))
      .def("__rsub__", binary<true>(minus))
      .def("__mul__", binary<false>(times))
      .def("__rmul__", binary<true>(times))
      .def("__floordiv__", binary<false>(divided))
      .def("__rfloordiv__", binary<true>(divided))
      .def("__mod__", binary<false>(modulo))
      .def("__rmod__", binary<true>(modulo))
      .def("__divmod__",
           [modulo](const Expr& self, const py::handle& other) {
             const Expr there = expressionFrom(other);
             return py::make_tuple(divided(self, there), modulo(self, there));
           })
      .def("__neg__", [](const Expr& self) { return 0 - self; })
      .def("__pos__", [](const Expr& self) { return self; })
      .def("__pow__", power)
      .def("__int__", numberOf)
      .def("__index__", numberOf)
      .def("__truediv__",
           [](const Expr&, const py::handle&) -> Expr {
             throw py::type_error(
                 "dimensions are whole numbers: divide by //, or round up with sluice.ceil_div()");
           })
      .def("__str__", &Expr::text)
      .def("__repr__", [](const Expr& self) { return "Dim('" + self.text() + "')"; })
      .def("_repr_latex_", [](const Expr& self) { return "$" + self.latex() + "$"; })
      .def(
          "symbols", [](const Expr& self) { return listOf(self.symbols()); }, "The names in it, sorted.")
      .def(
          "substitute",
          [](const Expr& self, const py::dict& values) {
            return exprOrNumber(self.substitute(valuesFrom(values)));
          },
          py::arg("values"), "With names replaced: a number where none is left, else an expression.");
  module.def("ceil_div", [](const py::handle& a, const py::handle& b) {
    return ceilDiv(expressionFrom(a), divisorFrom(b));
  });
  module.def("larger", [](const py::handle& a, const py::handle& b) {
    return max(expressionFrom(a), expressionFrom(b));
  });
  module.def("smaller", [](const py::handle& a, const py::handle& b) {
    return min(expressionFrom(a), expressionFrom(b));
  });
}

}  // namespace

void addPrograms(py::module_& module) {
  addExpression(module);
  py::class_<Document>(module, "Document")
      .def_static("parse", [](const std::string& text,
                              const std::string& name) { return taken(parseDocument(text, name)); })
      .def_static("load", [](const std::string& file) { return taken(loadDocument(file)); })
      .def_static("imported", [](const std::string& file, const py::dict& dimensions,
                                 bool weights) { return imported(file, dimensions, weights); })
      .def_static("step_graph", stepGraph)
      .def_static("workload",
                  [](const std::string& name, const std::string& model, const py::dict& given) {
                    Sizes sizes;
                    for (const auto& [size, value] : given)
                      sizes[py::str(size).cast<std::string>()] = value.cast<std::int64_t>();
                    return taken(buildWorkload(name, model, sizes));
                  })
      .def("save", [](const Document& self, const std::string& file) { taken(saveDocument(self, file)); })
      .def("text", [](const Document& self) { return writeDocument(self); })
      .def("check", [](const Document& self) { return toPython(check(self, builtInCatalog())); })
      .def("default_knobs", [](const Document& self) { return toPython(self, defaultKnobs(self)); })
      .def("types",
           [](const Document& self, const std::string& folder, const py::list& given) {
             std::vector<std::pair<std::string, std::string>> ends;
             for (const py::handle each : given) {
               const auto pair = each.cast<py::tuple>();
               ends.emplace_back(pair[0].cast<std::string>(), pair[1].cast<std::string>());
             }
             return typesOf(self, folder, ends);
           })
      .def("__eq__", [](const Document& self, const Document& other) { return self == other; });
}

}  // namespace sluice::python
