/* Whether this build is watched by a sanitizer. Its shadow takes terabytes of address space, which
 * no limit on a process's memory leaves room for: who sets one asks here whether it makes sense.
 * Owns nothing. */
#ifndef TDM_BASE_SANITIZER_H
#define TDM_BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TDM_SHADOWED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TDM_SHADOWED 1
#endif
#endif
#ifndef TDM_SHADOWED
#define TDM_SHADOWED 0
#endif

#endif
