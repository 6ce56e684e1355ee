// scenes/program/declarations.cpp: functions, types and variables that a text declares.
#include "scenes/program/declarations.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace warpscope::program {
namespace {

constexpr int kMostDepth = 40;  // of namespaces and classes
constexpr std::size_t kMostFunctions = 20'000, kMostParts = 1000;

constexpr std::array<std::string_view, 24> kSpecifiers = {
    "static",       "inline",     "extern",       "constexpr",  "const",        "volatile",
    "virtual",      "explicit",   "__global__",   "__device__", "__host__",     "__forceinline__",
    "__noinline__", "__inline__", "__constant__", "__shared__", "__managed__",  "register",
    "mutable",      "friend",     "__restrict__", "__restrict", "thread_local", "typename"};

bool is_call_like(const Token& token) {
  return token.is("__launch_bounds__") || token.is("__attribute__") || token.is("alignas") ||
         token.is("__align__") || token.is("decltype") || token.is("__cluster_dims__") ||
         token.is("__maxnreg__") || token.is("__declspec") || token.is("noexcept") ||
         token.is("__block_size__");
}

class Reader {
 public:
  Reader(const TokenText& text, Declarations& found) : text_(text), found_(found) {}

  struct House {
    std::string owner, space;
    bool plain = false;
    int depth = 0;
  };

  void read(Part part, const House& house) {
    if (house.depth > kMostDepth) return;
    templates_.clear();
    for (std::size_t at = part.begin; at < part.end;) {
      const std::size_t next = std::min(one(at, part.end, house), part.end);
      at = std::max(next, at + 1);
    }
  }

 private:
  // What begins at `at`; gives the place after it.
  std::size_t one(std::size_t at, std::size_t end, const House& house) {
    const Token& token = text_[at];
    if (token.is("template") && text_[at + 1].is("<")) {
      const std::size_t after = text_.after_angle(at + 1);
      if (after == at + 1) return at + 2;
      const auto parameters = template_parameters_in(text_, {at + 2, after - 1});
      templates_.insert(templates_.end(), parameters.begin(), parameters.end());
      return after;
    }
    if ((token.is("public") || token.is("private") || token.is("protected")) &&
        text_[at + 1].is(":"))
      return at + 2;
    if (token.is("namespace") || (token.is("inline") && text_[at + 1].is("namespace")))
      return space(at, end, house);
    if (token.is("extern") && text_[at + 1].kind == Token::Kind::text && text_[at + 2].is("{")) {
      House inner = house;
      inner.plain = true;
      ++inner.depth;
      read({at + 3, text_.after(at + 2) - 1}, inner);
      return text_.after(at + 2);
    }
    if (token.is("using") || token.is("typedef")) return alias(at, end);
    if (token.is("enum")) return enumeration(at, end);
    if (token.is("struct") || token.is("class") || token.is("union")) {
      if (const std::size_t after = structure(at, end, house); after != at) return after;
    }
    const std::size_t after = item(at, end, house);
    templates_.clear();
    return after;
  }

  std::size_t space(std::size_t at, std::size_t end, const House& house) {
    House inner = house;
    ++inner.depth;
    std::size_t i = at;
    for (; i < end && !text_[i].is("{") && !text_[i].is(";") && !text_[i].is("="); ++i) {
      if (text_[i].is_name() && !text_[i].is("namespace") && !text_[i].is("inline"))
        inner.space += text_[i].text + "::";
    }
    if (!text_[i].is("{")) return to_semicolon(i, end);
    if (inner.space.size() < 300) read({i + 1, text_.after(i) - 1}, inner);
    return text_.after(i);
  }

  std::size_t to_semicolon(std::size_t at, std::size_t end) const {
    while (at < end && !text_[at].is(";")) {
      const Token& token = text_[at];
      at = token.is("(") || token.is("{") || token.is("[") ? text_.after(at) : at + 1;
    }
    return at + 1;
  }

  std::size_t alias(std::size_t at, std::size_t end) {
    const std::size_t after = to_semicolon(at, end), last = after - 1;
    const bool generic = !templates_.empty();
    templates_.clear();
    if (text_[at].is("using")) {
      if (text_[at + 1].is_name() && text_[at + 2].is("=") && !generic)
        found_.aliases[text_[at + 1].text] = text_.text(at + 3, last);
      return after;
    }
    if (last < at + 3 || !text_[last - 1].is_name()) return after;
    const std::string name = text_[last - 1].text;
    std::size_t type = at + 1;
    if (text_[type].is("struct") || text_[type].is("enum") || text_[type].is("union")) {
      std::size_t brace = type + 1;
      while (brace < last && !text_[brace].is("{")) ++brace;
      if (text_[brace].is("{")) {
        if (text_[type].is("struct")) members({brace + 1, text_.after(brace) - 1}, name, {});
        if (text_[type].is("enum"))
          found_.enumerators.push_back({brace + 1, text_.after(brace) - 1});
        if (text_[type].is("enum")) found_.aliases[name] = "int";
        return after;
      }
      ++type;
    }
    if (text_.text(type, last - 1) != name) found_.aliases[name] = text_.text(type, last - 1);
    return after;
  }

  std::size_t enumeration(std::size_t at, std::size_t end) {
    std::size_t i = at + 1;
    if (text_[i].is("class") || text_[i].is("struct")) ++i;
    if (text_[i].is_name()) found_.aliases[text_[i].text] = "int";
    while (i < end && !text_[i].is("{") && !text_[i].is(";")) ++i;
    if (!text_[i].is("{")) return i + 1;
    found_.enumerators.push_back({i + 1, text_.after(i) - 1});
    return to_semicolon(text_.after(i), end);
  }

  // `at` where what begins there is no definition of a structure.
  std::size_t structure(std::size_t at, std::size_t end, const House& house) {
    std::size_t i = at + 1;
    std::string name;
    for (; i < end && !text_[i].is("{") && !text_[i].is(";") && !text_[i].is("(") &&
           !text_[i].is("=") && !text_[i].is(":");
         ++i) {
      if (is_call_like(text_[i]) && text_[i + 1].is("(")) {
        i = text_.after(i + 1) - 1;
      } else if (text_[i].is("<")) {
        const std::size_t after = text_.after_angle(i);
        if (after == i) return at;
        i = after - 1;
      } else if (text_[i].is_name()) {
        if (!name.empty() && !text_[i - 1].is("<")) name.clear();
        name = text_[i].text;
      } else {
        return at;
      }
    }
    if (text_[i].is(":")) {
      while (i < end && !text_[i].is("{") && !text_[i].is(";")) ++i;
    }
    if (!text_[i].is("{")) {
      if (text_[i].is(";") && i == at + 2) templates_.clear();
      return text_[i].is(";") && i == at + 2 ? i + 1 : at;
    }
    const Part body{i + 1, text_.after(i) - 1};
    const std::vector<TemplateParameter> own = std::exchange(templates_, {});
    members(body, name, own);
    House inner = house;
    inner.owner = name;
    inner.plain = false;
    ++inner.depth;
    const auto outer = std::exchange(owner_templates_, own);
    read(body, inner);
    owner_templates_ = outer;
    templates_.clear();
    const std::size_t after = text_.after(i);
    // `struct { … } constants;` declares a variable as well; it has no type with a name.
    return to_semicolon(after, end);
  }

  void members(Part body, const std::string& name, const std::vector<TemplateParameter>& own) {
    Structure found;
    found.name = name;
    found.templates = own;
    for (std::size_t at = body.begin; at < body.end;) {
      std::size_t end = at;
      bool function = false, braced = false;
      while (end < body.end && !text_[end].is(";") && !braced) {
        const Token& token = text_[end];
        const bool equal = token.is("=");
        if (token.is("(") && !(end > at && is_call_like(text_[end - 1]))) function = true;
        if (token.is("{") && function) braced = true;
        if (equal) {
          while (end < body.end && !text_[end].is(";"))
            end = text_[end].is("{") || text_[end].is("(") ? text_.after(end) : end + 1;
          break;
        }
        end = token.is("(") || token.is("{") || token.is("[") ? text_.after(end) : end + 1;
      }
      while ((text_[at].is("public") || text_[at].is("private") || text_[at].is("protected")) &&
             text_[at + 1].is(":"))
        at += 2;
      if (!function && at < end) add_members({at, std::min(end, body.end)}, found);
      at = std::max(end + (braced ? 0 : 1), at + 1);
    }
    if (!name.empty() && found_.structures.size() < kMostFunctions)
      found_.structures[name] = std::move(found);
  }

  void add_members(Part part, Structure& found) {
    if (text_[part.begin].is("using") || text_[part.begin].is("typedef") ||
        text_[part.begin].is("static") || text_[part.begin].is("enum") ||
        text_[part.begin].is("friend") || text_[part.begin].is("template"))
      return;
    std::string type;
    for (const Part& each : parts_of(text_, part, true)) {
      if (found.members.size() >= kMostParts) return;
      std::vector<DeclaredParameter> one = parameters_in(text_, each);
      if (one.empty() || one[0].name.empty()) continue;
      if (type.empty()) {
        type = one[0].type;
      } else if (one[0].type.empty() || one[0].type.front() == '*') {
        std::string first = type;
        while (!first.empty() && first.back() == '*') first.pop_back();
        one[0].type = first + one[0].type;
      }
      Member member{one[0].type, one[0].name, one[0].initial, 1};
      for (std::size_t i = each.begin; i + 2 < each.end; ++i) {
        if (!text_[i].is("[")) continue;
        const std::size_t extent = std::strtoul(text_[i + 1].text.c_str(), nullptr, 0);
        member.extent *= std::clamp<std::size_t>(extent, 1, 1 << 20);
        member.extent = std::min<std::size_t>(member.extent, 1 << 20);
        if (!member.type.empty() && member.type.back() == '*') member.type.pop_back();
      }
      found.members.push_back(std::move(member));
    }
  }

  // A function, or a variable.
  std::size_t item(std::size_t at, std::size_t end, const House& house) {
    Function function;
    function.owner = house.owner;
    function.space = house.space;
    function.plain = house.plain;
    std::size_t i = at, name = end;
    for (; i < end; ++i) {
      const Token& token = text_[i];
      if (token.is(";") || token.is("=") || token.is("{")) break;
      if (token.is("}")) return i + 1;
      if (token.is("extern") && text_[i + 1].kind == Token::Kind::text) function.plain = true;
      if (token.is("__global__")) function.kernel = true;
      if (token.is("__device__")) function.device = true;
      if (is_call_like(token) && text_[i + 1].is("(")) {
        if (token.is("__launch_bounds__")) function.bounds = {i + 2, text_.after(i + 1) - 1};
        i = text_.after(i + 1) - 1;
      } else if (token.is("operator")) {
        name = i;
        while (i < end && !text_[i].is("(")) ++i;
        if (text_[i + 1].is(")") && text_[i + 2].is("(")) i += 2;
        break;
      } else if (token.is("<")) {
        const std::size_t after = text_.after_angle(i);
        // A specialisation: name<int>(…)
        if (after != i && text_[after].is("(") && i > at && text_[i - 1].is_name()) {
          name = i - 1;
          i = after;
          break;
        }
        if (after != i) i = after - 1;
      } else if (token.is("[")) {
        i = text_.after(i) - 1;
      } else if (token.is("(")) {
        if (i > at && text_[i - 1].is_name() && !is_specifier(text_[i - 1].text)) name = i - 1;
        break;
      }
    }
    if (name < end && text_[i].is("(")) {
      if (const std::size_t after = function_at(at, name, i, end, function); after != at)
        return after;
    }
    const std::size_t after = to_semicolon(i, end);
    if (found_.globals.size() < kMostFunctions && after > at + 2 && house.owner.empty()) {
      Global global{{at, after - 1}, false, false};
      for (std::size_t word = at; word < std::min(i, at + 12); ++word) {
        global.device =
            global.device || text_[word].is("__device__") || text_[word].is("__managed__");
        global.constant_memory = global.constant_memory || text_[word].is("__constant__");
      }
      found_.globals.push_back(global);
    }
    return after;
  }

  // `at` where it has no body.
  std::size_t function_at(std::size_t at, std::size_t name, std::size_t open, std::size_t end,
                          Function& function) {
    const std::size_t after = text_.after(open);
    std::size_t i = after;
    for (; i < end && !text_[i].is("{") && !text_[i].is(";") && !text_[i].is("="); ++i) {
      if (text_[i].is(":")) {
        function.initialisers.begin = i + 1;
        for (++i;
             i < end && !(text_[i].is("{") && !text_[i - 1].is_name() && !text_[i - 1].is(">"));
             ++i) {
          if (text_[i].is("(") || text_[i].is("{")) i = text_.after(i) - 1;
          if (text_[i].is(";")) return at;
        }
        function.initialisers.end = i;
        break;
      }
      if (text_[i].is("(")) i = text_.after(i) - 1;
    }
    if (!text_[i].is("{")) return at;
    function.name = text_[name].text;
    function.line = text_[name].line;
    if (name >= at + 2 && text_[name - 1].is("::") && text_[name - 2].is_name() &&
        function.owner.empty())
      function.owner = text_[name - 2].text;
    std::size_t type = at;
    while (type < name && is_specifier(text_[type].text)) ++type;
    function.returns = text_.text(type, name);
    function.parameters = parameters_in(text_, {open + 1, after - 1});
    function.templates = owner_templates_;
    function.templates.insert(function.templates.end(), templates_.begin(), templates_.end());
    function.body = {i + 1, text_.after(i) - 1};
    if (found_.functions.size() < kMostFunctions) found_.functions.push_back(function);
    return text_.after(i);
  }

  const TokenText& text_;
  Declarations& found_;
  std::vector<TemplateParameter> templates_, owner_templates_;
};

std::string shape_in(const std::string& comment) {
  const std::size_t open = comment.find('['), close = comment.find(']');
  if (open == std::string::npos || close == std::string::npos || open > close) return {};
  return comment.substr(open + 1, close - open - 1);
}

// Up to the = of a default.
std::size_t end_of_declarator(const TokenText& text, Part part) {
  std::size_t end = part.begin;
  for (; end < part.end && !text[end].is("="); ++end) {
    if (text[end].is("<")) {
      const std::size_t after = text.after_angle(end);
      if (after != end && after <= part.end) end = after - 1;
    }
  }
  return end;
}

// Whether the word at `at` is the name that is declared: the last one, if a type stands before it.
bool is_declared(const TokenText& text, Part part, std::size_t at, const std::string& type) {
  const Token &token = text[at], &next = text[at + 1];
  const bool last =
      at + 1 >= part.end || next.is("[") || next.is("{") || next.is(":") || next.is("(");
  if (!token.is_name() || !last) return false;
  // `, b` of `float a, b`: the type stands before the part.
  if (at == part.begin) return !is_type_word(token.text) && text[at - 1].is(",");
  return (!is_type_word(token.text) || (token.is("dim3") && !type.empty())) &&
         !text[at - 1].is("::") && !(text[at - 1].is("const") && type == "const");
}

DeclaredParameter parameter_in(const TokenText& text, Part part) {
  DeclaredParameter found;
  std::string comment;
  bool stars = false;
  for (std::size_t i = part.begin; i < part.end; ++i) comment += text[i].comment;
  if (text[part.end].is(",")) comment += text[part.end].comment;
  found.shape = shape_in(comment);
  const std::size_t end = end_of_declarator(text, part);
  found.initial = {std::min(end + 1, part.end), part.end};
  std::string type;
  bool word = false;
  for (std::size_t i = part.begin; i < end; ++i) {
    const Token& token = text[i];
    if (is_call_like(token) && text[i + 1].is("(")) {
      i = text.after(i + 1) - 1;
      continue;
    }
    if (token.is("__restrict__") || token.is("__restrict") || token.is("__grid_constant__") ||
        token.is("restrict"))
      continue;
    if (token.is("[")) {
      if (!stars) type += "*";
      stars = true;
      i = text.after(i) - 1;
      continue;
    }
    if (token.is("(") && text[i + 1].is("*")) {  // (*name)[N], (*name)(…)
      std::size_t inner = i + 1;
      while (text[inner].is("*")) ++inner;
      if (text[inner].is_name()) found.name = text[inner].text;
      type += "*";
      stars = true;
      const std::size_t after = text.after(i);
      if (text[after].is("(")) type = "function*";
      break;
    }
    if (token.is("{") || token.is(":")) break;
    if (token.is("(")) break;
    if (is_declared(text, {part.begin, end}, i, type)) {
      found.name = token.text;
      continue;
    }
    const bool is_word = token.kind == Token::Kind::name || token.kind == Token::Kind::number;
    if (word && is_word) type += ' ';
    type += token.text;
    if (token.is(",")) type += ' ';
    word = is_word;
    if (token.is("&")) found.reference = true;
    if (type.size() > 300) break;
  }
  found.type = std::move(type);
  return found;
}

}  // namespace

bool is_specifier(std::string_view word) {
  return std::find(kSpecifiers.begin(), kSpecifiers.end(), word) != kSpecifiers.end();
}

bool is_type_word(std::string_view word) {
  constexpr std::array<std::string_view, 26> kWords = {
      "void",     "bool",    "char",     "short",   "int",     "long",     "float",
      "double",   "signed",  "unsigned", "auto",    "size_t",  "half",     "__half",
      "dim3",     "uint",    "int8_t",   "uint8_t", "int16_t", "uint16_t", "int32_t",
      "uint32_t", "int64_t", "uint64_t", "float4",  "float2"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() || word == "const" ||
         word == "volatile" || word == "typename" || word == "struct" || word == "constexpr" ||
         word == "static";
}

std::vector<Part> parts_of(const TokenText& text, Part part, bool angles) {
  std::vector<Part> parts;
  std::size_t begin = part.begin;
  for (std::size_t i = part.begin; i < part.end && parts.size() < kMostParts; ++i) {
    const Token& token = text[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = text.after(i) - 1;
    } else if (angles && token.is("<")) {
      const std::size_t after = text.after_angle(i);
      if (after != i) i = after - 1;
    } else if (token.is(",")) {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < part.end) parts.push_back({begin, part.end});
  return parts;
}

std::vector<DeclaredParameter> parameters_in(const TokenText& text, Part part) {
  std::vector<DeclaredParameter> found;
  for (const Part& each : parts_of(text, part, true)) {
    if (each.empty()) continue;
    DeclaredParameter parameter = parameter_in(text, each);
    if (parameter.type == "void" && parameter.name.empty()) continue;
    found.push_back(std::move(parameter));
  }
  return found;
}

std::vector<TemplateParameter> template_parameters_in(const TokenText& text, Part part) {
  std::vector<TemplateParameter> found;
  for (const Part& each : parts_of(text, part, true)) {
    TemplateParameter parameter;
    std::size_t equal = each.begin;
    while (equal < each.end && !text[equal].is("=")) ++equal;
    const Token& first = text[each.begin];
    parameter.is_type = first.is("typename") || first.is("class") || first.is("template");
    parameter.initial = {std::min(equal + 1, each.end), each.end};
    if (equal > each.begin && text[equal - 1].is_name()) parameter.name = text[equal - 1].text;
    found.push_back(std::move(parameter));
  }
  return found;
}

std::vector<const Function*> Declarations::named(std::string_view name,
                                                 std::string_view owner) const {
  std::vector<const Function*> found;
  const auto places = by_name.find(name);
  if (places == by_name.end()) return found;
  for (const std::size_t place : places->second) {
    if (owner.empty() || functions[place].owner == owner) found.push_back(&functions[place]);
  }
  return found;
}

const Function* Declarations::kernel(std::string_view name) const {
  for (const Function* function : named(name)) {
    if (function->kernel) return function;
  }
  return nullptr;
}

Declarations declarations_in(const TokenText& text) {
  Declarations found;
  Reader(text, found).read({0, text.size()}, {});
  for (std::size_t i = 0; i < found.functions.size(); ++i)
    found.by_name[found.functions[i].name].push_back(i);
  return found;
}

}  // namespace warpscope::program
