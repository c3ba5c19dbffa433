// The registry of emitters: each explains itself, writes a project or says which operator has no such form,
// and the README's table is the registry.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "engine/emitters/hls_form.h"
#include "engine/emitters/registry.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::emitters_test {

Document documentAt(const std::string& path) {
  Result<Document> document = loadDocument(std::string(SLUICE_SOURCE_DIR "/") + path);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return *document;
}

const InputSet no_inputs;

EmitRequest requestOf(const Document& document) {
  return {.document = &document, .inputs = &no_inputs, .knobs = defaultKnobs(document), .data = false};
}

std::set<std::string> pathsOf(const std::vector<ProjectFile>& files) {
  std::set<std::string> paths;
  for (const ProjectFile& file : files) paths.insert(file.path);
  return paths;
}

TEST(Emitters, ExplainThemselves) {
  std::set<std::string> names;
  for (const Emitter* emitter : registeredEmitters()) {
    EXPECT_TRUE(names.insert(emitter->name).second) << emitter->name;
    EXPECT_FALSE(emitter->title.empty()) << emitter->name;
    EXPECT_FALSE(emitter->summary.empty() || emitter->summary.ends_with('.')) << emitter->summary;
    EXPECT_FALSE(emitter->run.empty()) << emitter->name;
    EXPECT_EQ(findEmitter(emitter->name), emitter);
  }
  EXPECT_EQ(findEmitter("no such form"), nullptr);
}

TEST(Emitters, HlsWritesACompiledProgramAndItsPlaceOnACard) {
  const Document document = documentAt("resources/templates/tensor_program.sluice");
  const Emitter& hls = *findEmitter("hls");
  EmitRequest request = requestOf(document);
  const auto plain = hls.project(request);
  ASSERT_TRUE(plain) << text(plain.diagnostics());
  EXPECT_THAT(pathsOf(*plain), testing::Contains("Makefile"));
  request.platform = "u55c";
  const auto placed = hls.project(request);
  ASSERT_TRUE(placed) << text(placed.diagnostics());
  EXPECT_NE(*placed, *plain) << "the card changes nothing";
  request.numbers = hls.numbers.back().name;
  const auto narrow = hls.project(request);
  ASSERT_TRUE(narrow) << text(narrow.diagnostics());
  EXPECT_NE(*narrow, *placed) << "the numbers change nothing";
  request.numbers = hls.numbers.front().name;
  EXPECT_EQ(*hls.project(request), *placed);
  request.folder = "/no/such/folder";
  EXPECT_EQ(hls.project(request).diagnostics().front().code, "file-not-found");
  request.folder.clear();
  request.data = true;
  const auto with_data = hls.project(request);
  ASSERT_TRUE(with_data) << text(with_data.diagnostics());
  EXPECT_GT(with_data->size(), placed->size());
  request.knobs["tile"] = 16;
  EXPECT_NE(*hls.project(request), *with_data) << "the knobs change nothing";
}

/// The search for knob values with which it fits takes up to a minute: it heeds a stop, too.
TEST(Emitters, HlsStopsWhileItIsPlacedOnACard) {
  const Document document = documentAt("sample_workloads/gpt2_block.sluice");
  const KnobValues knobs = defaultKnobs(document);
  Result<TensorCompilation> compilation = tensorCompilation(document, no_inputs, knobs);
  ASSERT_TRUE(compilation) << text(compilation.diagnostics());
  std::stop_source stop;
  stop.request_stop();
  const auto stopped =
      hlsFilesOf(*std::move(compilation), {.platform = "u55c", .data = false},
                 {.document = &document, .inputs = &no_inputs, .knobs = knobs}, stop.get_token());
  ASSERT_FALSE(stopped) << "it does not fit";
  EXPECT_TRUE(isCancelled(stopped.diagnostics())) << text(stopped.diagnostics());
}

TEST(Emitters, HlsSaysWhatHasNoSuchForm) {
  const Document document = documentAt("sample_workloads/simple_moe.sluice");
  const auto refused = findEmitter("hls")->project(requestOf(document));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().code, "unsupported-operator");
  EXPECT_THAT(text(refused.diagnostics()), testing::HasSubstr(document.program.nodes.front().name));
  const Document tensors = documentAt("resources/templates/tensor_program.sluice");
  EmitRequest request = requestOf(tensors);
  request.platform = "no such card";
  EXPECT_FALSE(findEmitter("hls")->project(request));
}

TEST(Emitters, TheReadmeListsThemAll) {
  std::ifstream readme(SLUICE_SOURCE_DIR "/engine/emitters/README.md");
  std::vector<std::string> listed, registered{"| emitter | project | run | choices |"};
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with("| ") && !line.starts_with("| ---")) listed.push_back(line);
  for (const Emitter* emitter : registeredEmitters()) {
    std::string choices;
    for (const auto& [heeded, choice] :
         {std::pair(emitter->places, "platform"), std::pair(emitter->has_data, "data"),
          std::pair(emitter->numbers.size() > 1, "numbers"),
          std::pair(emitter->folder.has_value(), emitter->folder ? emitter->folder->name.c_str() : "")})
      if (heeded) choices += (choices.empty() ? " " : ", ") + std::string(choice);
    registered.push_back("| " + emitter->name + " | " + emitter->title + " | " + emitter->run + " |" +
                         choices + " |");
  }
  EXPECT_EQ(listed, registered);
}

}  // namespace sluice::emitters_test
