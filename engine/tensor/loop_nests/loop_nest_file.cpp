#include "engine/tensor/loop_nests/loop_nest_file.h"

#include <charconv>

#include "engine/program/json_reader.h"
#include "engine/program/spelling.h"
#include "engine/tensor/named.h"

namespace sluice::inline tensor {
namespace {

/// Reads the whole of `text` as a number that is not negative.
std::optional<std::int64_t> numberIn(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

NestArray readArray(JsonDecoder& reading, const JsonCursor& spot) {
  NestArray array;
  const ObjectReader object(reading, spot, "an array", {"name", "shape", "element_bits"});
  if (!object) return array;
  object.requiredName("name", array.name);
  if (const auto shape = object.require("shape")) read(reading, *shape, array.shape);
  object.optional("element_bits", array.element_bits);
  return array;
}

NestLoop readLoop(JsonDecoder& reading, const JsonCursor& spot) {
  NestLoop loop;
  const ObjectReader object(reading, spot, "a loop", {"name", "extent", "kind"});
  if (!object) return loop;
  object.requiredName("name", loop.name);
  if (const auto extent = object.require("extent")) read(reading, *extent, loop.extent);
  std::string kind = "parallel";
  object.optional("kind", kind);
  if (const auto spot_of_kind = object.find("kind"); kind != "parallel" && kind != "reduction")
    reading.refuse("unknown-choice", *spot_of_kind, "'" + kind + "' is no kind of loop",
                   "write \"parallel\" or \"reduction\"");
  loop.kind = kind == "reduction" ? LoopKind::Reduction : LoopKind::Parallel;
  return loop;
}

/// SCALE*LOOP+OFFSET, where the scale and the offset may be missing, or a number alone.
void readIndex(JsonDecoder& reading, const JsonCursor& spot, const LoopNest& nest, AccessIndex& index) {
  if (std::holds_alternative<std::int64_t>(spot.json().value)) return read(reading, spot, index.offset);
  std::string text;
  if (!std::holds_alternative<std::string>(spot.json().value))
    return reading.mismatch(spot, "an index", "write it as \"2*i+1\", \"i\" or a number");
  read(reading, spot, text);
  std::erase(text, ' ');
  std::string_view rest = text;
  if (const auto number = numberIn(rest)) {
    index.offset = *number;
    return;
  }
  std::optional<std::int64_t> scale = 1, offset = 0;
  if (const std::size_t star = rest.find('*'); star != std::string_view::npos) {
    scale = numberIn(rest.substr(0, star));
    rest.remove_prefix(star + 1);
  }
  if (const std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
    offset = numberIn(rest.substr(plus + 1));
    rest = rest.substr(0, plus);
  }
  if (!scale || !offset || !isIdentifier(rest))
    return reading.refuse("expression-syntax", spot, "'" + text + "' is not SCALE*LOOP+OFFSET",
                          "write it as \"2*i+1\", \"i\" or a number");
  index = {positionOf(nest.loops, rest), *scale, *offset};
  if (!index.loop)
    reading.refuse("unknown-name", spot, "the nest has no loop '" + std::string(rest) + "'",
                   spellingFix(std::string(rest), namesOf(nest.loops), "give the nest a loop"));
}

ArrayAccess readAccess(JsonDecoder& reading, const JsonCursor& spot, const LoopProgram& program,
                       const LoopNest& nest) {
  ArrayAccess access;
  const ObjectReader object(reading, spot, "an access", {"array", "index", "write"});
  if (!object) return access;
  if (const auto named = object.require("array")) {
    std::string name;
    readName(reading, *named, name);
    if (const auto array = positionOf(program.arrays, name))
      access.array = *array;
    else
      reading.refuse("unknown-name", *named, "there is no array '" + name + "'",
                     spellingFix(name, namesOf(program.arrays), "list it under \"arrays\""));
  }
  object.optional("write", access.writes);
  if (const auto index = object.require("index"))
    forEach(reading, *index, "indices",
            [&](const JsonCursor& one) { readIndex(reading, one, nest, access.indices.emplace_back()); });
  return access;
}

LoopNest readNest(JsonDecoder& reading, const JsonCursor& spot, const LoopProgram& program) {
  LoopNest nest;
  const ObjectReader object(reading, spot, "a nest", {"name", "loops", "accesses", "operations"});
  if (!object) return nest;
  object.requiredName("name", nest.name);
  object.optional("operations", nest.operations);
  if (const auto loops = object.require("loops"))
    forEach(reading, *loops, "loops",
            [&](const JsonCursor& one) { nest.loops.push_back(readLoop(reading, one)); });
  if (const auto accesses = object.require("accesses"))
    forEach(reading, *accesses, "accesses",
            [&](const JsonCursor& one) { nest.accesses.push_back(readAccess(reading, one, program, nest)); });
  return nest;
}

void readProgram(JsonDecoder& reading, const JsonCursor& root, LoopProgram& program) {
  const ObjectReader object(reading, root, "a program of loop nests", {"arrays", "nests"});
  if (!object) return;
  if (const auto arrays = object.require("arrays"))
    forEach(reading, *arrays, "arrays",
            [&](const JsonCursor& one) { program.arrays.push_back(readArray(reading, one)); });
  if (const auto nests = object.require("nests"))
    forEach(reading, *nests, "nests",
            [&](const JsonCursor& one) { program.nests.push_back(readNest(reading, one, program)); });
}

}  // namespace

Result<LoopProgram> parseLoopProgram(std::string_view json, const std::string& name) {
  Result<LoopProgram> program = parseWhole<LoopProgram>(json, name, readProgram);
  if (!program) return program;
  Diagnostics found = check(*program);
  for (Diagnostic& diagnostic : found) diagnostic.place = Location(Where::File, name) / diagnostic.place;
  if (hasErrors(found)) return found;
  return program;
}

Result<LoopProgram> loadLoopProgram(const std::filesystem::path& file) {
  return loadWhole(file, parseLoopProgram);
}

}  // namespace sluice::inline tensor
