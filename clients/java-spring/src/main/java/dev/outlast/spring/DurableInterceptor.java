package dev.outlast.spring;

import dev.outlast.Draft;
import dev.outlast.OutlastClient;
import dev.outlast.TaskRef;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Hands a task in where a {@link Durable} method is called. */
class DurableInterceptor implements MethodInterceptor {
    private static final SQLExceptionTranslator ERRORS = new SQLStateSQLExceptionTranslator();

    private final ListableBeanFactory factory;

    DurableInterceptor(ListableBeanFactory factory) {
        this.factory = factory;
    }

    @Override public Object invoke(MethodInvocation call) throws Throwable {
        Method method = AopUtils.getMostSpecificMethod(call.getMethod(), call.getThis().getClass());
        DurableMethod durable = factory.getBean(DurableRegistry.class).of(method);
        return durable.isRun() ? call.proceed() : durable.answer(enqueue(durable, call.getArguments()));
    }

    private TaskRef<?> enqueue(DurableMethod durable, Object[] arguments) {
        OutlastClient client = factory.getBean(OutlastClient.class);
        if (!isInTransaction()) return client.enqueue(durable.draft(arguments));
        DataSource database = factory.getBean(DataSource.class);
        return enqueueIn(database, client, durable.isRelayed() ? durable.relay(arguments) : durable.draft(arguments));
    }

    private boolean isInTransaction() {
        OutlastProperties properties = new OutlastProperties(factory.getBean(Environment.class));
        return TransactionSynchronizationManager.isActualTransactionActive() && properties.transactional();
    }

    private static TaskRef<?> enqueueIn(DataSource database, OutlastClient client, Draft draft) {
        Connection connection = DataSourceUtils.getConnection(database);
        try {
            return client.enqueueIn(connection, draft);
        } catch (SQLException failure) {
            throw ERRORS.translate("enqueue a task in the transaction", null, failure);
        } finally {
            DataSourceUtils.releaseConnection(connection, database);
        }
    }
}
