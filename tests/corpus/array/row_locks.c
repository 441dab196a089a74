// A matrix whose rows have a lock each; a column is summed row by row.
#include <pthread.h>

#define ROWS 4
#define COLUMNS 4

static pthread_mutex_t row_locks[ROWS] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};
static int matrix[ROWS][COLUMNS];

static void *writer(void *argument)
{
    for (int i = 0; i < 200; i++) {
        int row = i % ROWS;
        pthread_mutex_lock(&row_locks[row]);
        matrix[row][i / ROWS % COLUMNS] = i; //~ write: locks{row_locks[row]}
        pthread_mutex_unlock(&row_locks[row]);
    }
    return argument;
}

static void *reader(void *argument)
{
    int sum = 0;
    for (int i = 0; i < 200; i++) {
        int column = i % COLUMNS;
        for (int row = 0; row < ROWS; row++) {
            pthread_mutex_lock(&row_locks[row]);
            sum += matrix[row][column]; //~ read: no-race -- the lock of the row; locks{row_locks[row]}
            pthread_mutex_unlock(&row_locks[row]);
        }
    }
    return sum < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
