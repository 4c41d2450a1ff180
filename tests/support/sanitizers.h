// kIsSanitized: this program was built with AddressSanitizer or ThreadSanitizer, which take five to
// fifteen times as long. Tests of many random cases try fewer there. For the preprocessor:
// HOURCELL_IS_SANITIZED, true or false. kIsThreadSanitized: with the latter.

#pragma once

namespace hourcell {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HOURCELL_IS_SANITIZED true
#endif
#endif
#ifndef HOURCELL_IS_SANITIZED
#define HOURCELL_IS_SANITIZED false
#endif
inline constexpr bool kIsSanitized = HOURCELL_IS_SANITIZED;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HOURCELL_IS_THREAD_SANITIZED true
#endif
#endif
#ifndef HOURCELL_IS_THREAD_SANITIZED
#define HOURCELL_IS_THREAD_SANITIZED false
#endif
inline constexpr bool kIsThreadSanitized = HOURCELL_IS_THREAD_SANITIZED;

}  // namespace hourcell
