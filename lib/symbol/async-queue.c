/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lies on the desk between the two sides of a namer, and how it is cleared away. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "symbol/async-queue.h"

int namer_list_add(struct namer_list *list, uint32_t location)
{
    int error = array_grow(&list->locations, list->count, sizeof *list->locations);

    if (error == 0)
        list->locations[list->count++] = location;
    return error;
}

void namer_code_clear(struct namer_code *code)
{
    listing_free(code->listing);
    free(code->problem);
    *code = (struct namer_code){0};
}

void namer_questions_clear(struct namer_questions *questions)
{
    for (uint32_t i = 0; i < questions->object_count; i++) {
        free(questions->objects[i].path);
        if (questions->objects[i].object.fd >= 0)
            close(questions->objects[i].object.fd);
    }
    for (uint32_t i = 0; i < questions->file_count; i++)
        if (questions->files[i].fd >= 0)
            close(questions->files[i].fd);
    free(questions->objects);
    free(questions->places);
    free(questions->files);
    for (unsigned job = 0; job < NAMER_JOBS; job++)
        free(questions->jobs[job].locations);
    *questions = (struct namer_questions){0};
}

void namer_answers_clear(struct namer_answers *answers)
{
    for (uint32_t i = 0; i < answers->code_count; i++)
        namer_code_clear(&answers->codes[i]);
    free(answers->strings);
    free(answers->functions);
    free(answers->found);
    free(answers->lines);
    free(answers->definitions);
    free(answers->codes);
    *answers = (struct namer_answers){0};
}

void namer_desk_free(struct namer_desk *desk)
{
    namer_questions_clear(&desk->questions);
    namer_answers_clear(&desk->answers);
    pthread_cond_destroy(&desk->asked);
    pthread_cond_destroy(&desk->ended_now);
    pthread_mutex_destroy(&desk->lock);
    free(desk);
}
