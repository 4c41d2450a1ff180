#include "server/text/json_scalar.h"

#include <cstddef>

namespace hourcell {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Removes the leading digits; false without digits.
bool TakeDigits(std::string_view* text) {
  size_t count = 0;
  while (count < text->size() && IsDigit((*text)[count]))
    ++count;
  text->remove_prefix(count);
  return count > 0;
}

bool IsLiteral(std::string_view token) {
  return token == "true" || token == "false" || token == "null";
}

simdjson::error_code SkipObject(simdjson::ondemand::value value, int depth) {
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  for (auto item : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(item).get(field)) return error;
    std::string_view key;
    if (const auto error = ReadJsonKey(&field, &key)) return error;
    if (const auto error = SkipJsonValue(field.value(), depth + 1)) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code SkipArray(simdjson::ondemand::value value, int depth) {
  simdjson::ondemand::array array;
  if (const auto error = value.get_array().get(array)) return error;
  for (auto item : array) {
    simdjson::ondemand::value element;
    if (const auto error = std::move(item).get(element)) return error;
    if (const auto error = SkipJsonValue(element, depth + 1)) return error;
  }
  return simdjson::SUCCESS;
}

}  // namespace

bool IsJsonNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool leading_zero = text.size() > 1 && text[0] == '0' && IsDigit(text[1]);
  if (leading_zero || !TakeDigits(&text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!TakeDigits(&text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!TakeDigits(&text)) return false;
  }
  return text.empty();
}

bool IsBareNonNumber(std::string_view text) {
  return text == "NaN" || text == "Infinity" || text == "+Infinity" || text == "-Infinity" ||
         text == "+INF" || text == "-INF";
}

std::string_view JsonToken(simdjson::ondemand::value* value) {
  // The reader's token runs to the next structural character, so blanks may follow it.
  const std::string_view token = value->raw_json_token();
  const size_t last = token.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view() : token.substr(0, last + 1);
}

simdjson::error_code ReadJsonString(simdjson::ondemand::value value, std::string_view* text) {
  // Without -march flags the reader decodes byte by byte; most strings need no decoding at all.
  const std::string_view token = JsonToken(&value);
  if (token.find('\\') != std::string_view::npos) return value.get_string().get(*text);
  const size_t close = token.find('"', 1);
  if (close == std::string_view::npos || close + 1 != token.size()) return simdjson::STRING_ERROR;
  *text = token.substr(1, close - 1);
  return simdjson::SUCCESS;
}

simdjson::error_code ReadJsonKey(simdjson::ondemand::field* field, std::string_view* key) {
  // The reader has found the closing quote.
  const char* const begin = field->key().raw();
  const char* end = begin;
  while (*end != '"' && *end != '\\')
    ++end;
  if (*end == '\\') return field->unescaped_key().get(*key);
  *key = std::string_view(begin, static_cast<size_t>(end - begin));
  return simdjson::SUCCESS;
}

simdjson::error_code SkipJsonValue(simdjson::ondemand::value value, int depth) {
  if (depth > kJsonDepthMax) return simdjson::DEPTH_ERROR;
  const std::string_view token = JsonToken(&value);
  if (token.starts_with('{')) return SkipObject(value, depth);
  if (token.starts_with('[')) return SkipArray(value, depth);
  if (token.starts_with('"')) {
    std::string_view text;
    return ReadJsonString(value, &text);
  }
  return IsLiteral(token) || IsJsonNumber(token) || IsBareNonNumber(token) ? simdjson::SUCCESS
                                                                           : simdjson::TAPE_ERROR;
}

simdjson::error_code ReadJsonText(simdjson::ondemand::value value, std::string_view* text) {
  const std::string_view token = JsonToken(&value);
  if (token.starts_with('"')) return ReadJsonString(value, text);
  if (token.starts_with('{') || token.starts_with('[')) return simdjson::INCORRECT_TYPE;
  if (!IsLiteral(token) && !IsJsonNumber(token)) return simdjson::TAPE_ERROR;
  *text = token == "null" ? std::string_view() : token;
  return simdjson::SUCCESS;
}

}  // namespace hourcell
