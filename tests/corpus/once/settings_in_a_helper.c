// The routine fills in the settings with the help of another function, and users ask for them by a third.
#include <pthread.h>

struct settings {
    int width, height;
};

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static struct settings settings;

static void set_size(struct settings *target, int width, int height)
{
    target->width = width;   //~ width: no-race -- runs once, before all users; locks{}
    target->height = height; //~ height: no-race -- runs once, before all users; locks{}
}

static void load(void)
{
    set_size(&settings, 80, 25);
}

static const struct settings *get_settings(void)
{
    pthread_once(&loaded, load);
    return &settings;
}

static void *user(void *argument)
{
    const struct settings *mine = get_settings();
    *(int *)argument = mine->width * mine->height; //~ use: no-race -- behind the call; locks{}
    return NULL;
}

int main(void)
{
    int seen[2] = { 0, 0 };
    pthread_t one, two;
    pthread_create(&one, NULL, user, &seen[0]);
    pthread_create(&two, NULL, user, &seen[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen[0] != 2000;
}
