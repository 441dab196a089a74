static int counter;
int main(void)
{
    int a = 0;
    ---__attribute__((guarded_by(lock)))----------------------------------------------=-a;
    --__attribute__((cleanup(f)))--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--(int)--=-a;
    counter += 2;
    return counter;
}
