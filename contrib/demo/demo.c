/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program for demonstrations of the profiler. It has two threads: one counts primes and words, and the other mixes
 * numbers in a shared library.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

#define LIMIT 2000000
#define ROUNDS 30

__attribute__((noinline)) static size_t sieve(bool *composite)
{
    size_t primes = 0;

    memset(composite, 0, LIMIT);
    for (size_t i = 2; i < LIMIT; i++) {
        if (composite[i])
            continue;
        primes++;
        for (size_t j = i * 2; j < LIMIT; j += i)
            composite[j] = true;
    }
    return primes;
}

__attribute__((noinline)) static size_t count_words(const char *text)
{
    size_t words = 0;
    bool inside = false;

    for (; *text != '\0'; text++) {
        if (!inside && !isspace((unsigned char)*text))
            words++;
        inside = !isspace((unsigned char)*text);
    }
    return words;
}

static char *write_text(size_t size)
{
    char *text = malloc(size + 1);

    for (size_t i = 0; text != NULL && i < size; i++)
        text[i] = "lorem ipsum dolor sit amet "[i % 27];
    if (text != NULL)
        text[size] = '\0';
    return text;
}

static void *mix_numbers(void *argument)
{
    uint64_t *result = argument;

    for (int i = 0; i < ROUNDS; i++)
        *result = mix(*result, 11000000);
    return NULL;
}

int main(void)
{
    uint64_t mixed = 42;
    size_t primes = 0, words = 0;
    pthread_t thread;
    bool *composite = malloc(LIMIT);
    char *text = write_text(8000000);

    if (composite == NULL || text == NULL || pthread_create(&thread, NULL, mix_numbers, &mixed) != 0)
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        primes = sieve(composite);
        words += count_words(text);
    }
    pthread_join(thread, NULL);
    printf("%zu primes, %zu words, %016llx\n", primes, words, (unsigned long long)mixed);
    free(composite);
    free(text);
    return 0;
}
