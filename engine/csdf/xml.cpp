// XML by Expat, which reads it piece by piece and never recursively.

#include "engine/csdf/xml.h"

#include <expat.h>

#include <memory>
#include <optional>

namespace sluice::inline csdf {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& file)
      : file_(file), parser_(XML_ParserCreate(nullptr), &XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<Reader*>(self)->begin(name, attributes);
        },
        [](void* self, const char*) { static_cast<Reader*>(self)->end(); });
    XML_SetStartDoctypeDeclHandler(parser_.get(), [](void* self, const char*, const char*, const char*, int) {
      static_cast<Reader*>(self)->refuse("wrong-format", "it has a document type, which may define entities",
                                         "remove <!DOCTYPE ...>");
    });
  }

  Result<XmlElement> read(std::string_view bytes) {
    constexpr std::size_t piece = 1u << 20;
    for (std::size_t at = 0;; at += piece) {
      const std::string_view part = bytes.substr(std::min(at, bytes.size()), piece);
      const bool last = at + piece >= bytes.size();
      if (XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), last) != XML_STATUS_OK) {
        if (problem_) return *std::move(problem_);
        const XML_LChar* cause = XML_ErrorString(XML_GetErrorCode(parser_.get()));
        return error("text-syntax", here(), std::string("it is no XML: ") + (cause ? cause : "unknown"),
                     "correct the XML there");
      }
      if (last) break;
    }
    return std::move(root_.children.front());
  }

 private:
  std::int64_t line() const { return static_cast<std::int64_t>(XML_GetCurrentLineNumber(parser_.get())); }
  Location here() const { return Location(Where::File, file_) / Location(Where::Line, line()); }

  void refuse(Code code, std::string cause, std::string fix) {
    if (!problem_) problem_ = error(code, here(), std::move(cause), std::move(fix));
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void begin(const char* name, const char** attributes) {
    if (problem_) return;
    if (path_.size() >= deepest_xml)
      return refuse("too-many", "it is nested deeper than " + std::to_string(deepest_xml),
                    "nest fewer elements");
    XmlElement& parent = path_.empty() ? root_ : *path_.back();
    parent.children.push_back({name, line(), {}, {}});
    XmlElement& element = parent.children.back();
    for (++parts_; *attributes; attributes += 2, ++parts_)
      element.attributes.emplace_back(attributes[0], attributes[1]);
    if (parts_ > most_xml_parts)
      return refuse("too-many",
                    "it has more than " + std::to_string(most_xml_parts) + " elements and attributes",
                    "give a smaller graph");
    path_.push_back(&element);
  }
  void end() {
    if (!path_.empty()) path_.pop_back();
  }

  const std::string& file_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  XmlElement root_;                ///< above the root
  std::vector<XmlElement*> path_;  ///< of elements that are open; only the last grows, so that all stay
  std::size_t parts_ = 0;
  std::optional<Diagnostic> problem_;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return &value;
  return nullptr;
}

Result<XmlElement> readXml(std::string_view bytes, const std::string& file) {
  return Reader(file).read(bytes);
}

std::string xmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\t':
        escaped += "&#9;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      case '\r':
        escaped += "&#13;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) escaped += c;
    }
  }
  return escaped;
}

}  // namespace sluice::inline csdf
